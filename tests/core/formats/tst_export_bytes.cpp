// What was written is read back by other code: a small reader of zip and npy that stands here, and
// NumPy and safetensors where Python has them.
#include "core/formats/npz.h"
#include "core/formats/safetensors.h"
#include "tests/core/formats/support.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <map>
#include <string>
#include <vector>

using namespace earscope;
using namespace earscope::test;
namespace fs = std::filesystem;

namespace {

std::uint64_t number(const std::string& bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        value |= std::uint64_t{static_cast<unsigned char>(bytes.at(at + i))} << (8 * i);
    }
    return value;
}

std::uint32_t crc32(const std::string& bytes) {
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc >> 1U ^ (0xEDB88320U & (0U - (crc & 1U)));
        }
    }
    return ~crc;
}

struct ZipMember {
    std::string name;
    std::string comment;
    std::string bytes;
};

/// The members of a zip of stored entries by its central directory; throws on anything else.
std::vector<ZipMember> read_zip(const std::string& zip) {
    const std::size_t end = zip.size() - 22;
    if (number(zip, end, 4) != 0x06054b50) {
        throw std::runtime_error("no end record");
    }
    std::vector<ZipMember> members;
    std::size_t at = number(zip, end + 16, 4);
    for (std::uint64_t i = 0; i < number(zip, end + 10, 2); ++i) {
        const std::size_t name = number(zip, at + 28, 2);
        const std::size_t extra = number(zip, at + 30, 2);
        const std::size_t comment = number(zip, at + 32, 2);
        const std::size_t size = number(zip, at + 24, 4);
        const std::size_t local = number(zip, at + 42, 4);
        if (number(zip, at + 10, 2) != 0 || number(zip, at + 20, 4) != size) {
            throw std::runtime_error("not stored");
        }
        const std::size_t data =
            local + 30 + number(zip, local + 26, 2) + number(zip, local + 28, 2);
        members.push_back({zip.substr(at + 46, name), zip.substr(at + 46 + name + extra, comment),
                           zip.substr(data, size)});
        if (crc32(members.back().bytes) != number(zip, at + 16, 4)) {
            throw std::runtime_error("wrong checksum");
        }
        at += 46 + name + extra + comment;
    }
    return members;
}

std::string hex(const void* data, std::size_t size) {
    return QByteArray(static_cast<const char*>(data), static_cast<qsizetype>(size))
        .toHex()
        .toStdString();
}

/// bfloat16 as the float32 that NumPy gets.
std::string widened(const TensorView& tensor) {
    std::string bytes;
    for (std::size_t i = 0; i < tensor.bytes; i += 2) {
        bytes += std::string(2, '\0');
        bytes.append(reinterpret_cast<const char*>(tensor.data) + i, 2);
    }
    return bytes;
}

std::string npy_bytes(const TensorView& tensor) {
    return tensor.dtype == DType::BF16
               ? widened(tensor)
               : std::string(reinterpret_cast<const char*>(tensor.data), tensor.bytes);
}

const std::map<DType, std::string> kDescr{
    {DType::Bool, "|b1"}, {DType::U8, "|u1"},  {DType::I8, "|i1"},   {DType::I16, "<i2"},
    {DType::U16, "<u2"},  {DType::F16, "<f2"}, {DType::BF16, "<f4"}, {DType::I32, "<i4"},
    {DType::U32, "<u4"},  {DType::F32, "<f4"}, {DType::I64, "<i8"},  {DType::U64, "<u8"},
    {DType::F64, "<f8"}};

std::string python_shape(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t length : shape) {
        text += (text.empty() ? "" : ", ") + std::to_string(length);
    }
    return text;
}

const std::string kMeta = "{\"title\":\"Klangprobe ü 音楽 🎵\"}";

}  // namespace

class TestExportBytes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void BL36_npz_isReadByOwnParser();
    void BL36_npz_isTheSameForEqualInput();
    void BL36_npz_withoutTensorsOrText_isValid();
    void E4_safetensors_isReadBack();
    void E4_safetensors_alignsEveryTensor();
    void E4_python_readsTheSame();

private:
    QTemporaryDir folder_;
    fs::path npz_;
    fs::path safetensors_;
    std::vector<std::uint64_t> storage_;
    std::vector<TensorView> tensors_;
};

void TestExportBytes::initTestCase() {
    const fs::path path = folder_.path().toStdString();
    npz_ = path / "x.npz";
    safetensors_ = path / "x.safetensors";
    storage_.resize(2048);
    for (std::size_t i = 0; i < storage_.size(); ++i) {
        storage_[i] = 0x3F9D'7A11'C2E4'5B07U * (i + 1);
    }
    const auto* data = reinterpret_cast<const std::byte*>(storage_.data());
    const auto add = [&](const std::string& name, DType dtype, std::vector<std::int64_t> shape) {
        std::size_t bytes = dtype_size(dtype);
        for (const std::int64_t length : shape) {
            bytes *= static_cast<std::size_t>(length);
        }
        tensors_.push_back({name, dtype, std::move(shape), data, bytes});
    };
    // Rank 0, one element, 0 rows; names with '/', spaces and other scripts; odd sizes in between,
    // so that what follows would not be aligned by itself. All share their memory.
    add("odd", DType::U8, {3});
    add("scalar", DType::F32, {});
    add("one", DType::F32, {1});
    add("vector", DType::F32, {184});
    add("no rows", DType::F32, {0, 1280});
    add("hidden/3", DType::F32, {3, 4});
    add("cube", DType::F32, {2, 3, 4});
    add("音楽 ü", DType::F32, {1, 1, 1, 1, 1, 1, 1, 2});
    add("half", DType::F16, {5});
    add("brain", DType::BF16, {3, 1111});
    add("ids", DType::I64, {2, 7});
    add("u16", DType::U16, {3});
    add("i16", DType::I16, {1, 3});
    add("i8", DType::I8, {5});
    add("i32", DType::I32, {5});
    add("u32", DType::U32, {5});
    add("u64", DType::U64, {5});
    add("f64", DType::F64, {5});
    static const bool flags[] = {true, false, true};
    tensors_.push_back({"bool", DType::Bool, {3}, reinterpret_cast<const std::byte*>(flags), 3});
    write_npz(npz_, tensors_, kMeta);
    write_safetensors(safetensors_, tensors_, {{"earscope", kMeta}});
}

void TestExportBytes::BL36_npz_isReadByOwnParser() {
    const auto members = read_zip(read_file(npz_));
    QCOMPARE(members.size(), tensors_.size() + 1);
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
        const TensorView& tensor = tensors_[i];
        const std::string& bytes = members[i].bytes;
        QCOMPARE(members[i].name, tensor.name + ".npy");
        QCOMPARE(bytes.substr(0, 8), std::string("\x93NUMPY\1\0", 8));
        const std::size_t header = number(bytes, 8, 2);
        QCOMPARE((10 + header) % 64, std::size_t{0});
        const std::string dictionary = bytes.substr(10, header);
        QCOMPARE(dictionary.back(), '\n');
        const std::string wanted =
            "{'descr': '" + kDescr.at(tensor.dtype) + "', 'fortran_order': False, 'shape': (" +
            python_shape(tensor.shape) + (tensor.shape.size() == 1 ? ",), }" : "), }");
        QCOMPARE(dictionary.substr(0, wanted.size()), wanted);
        QCOMPARE(dictionary.find_first_not_of(' ', wanted.size()), header - 1);
        QVERIFY(bytes.substr(10 + header) == npy_bytes(tensor));
        QCOMPARE(members[i].comment,
                 std::string(tensor.dtype == DType::BF16 ? "bfloat16 widened to float32" : ""));
    }
    QCOMPARE(members.back().name, std::string("meta.npy"));
    const QString meta = QString::fromStdString(kMeta);
    const auto characters = meta.toUcs4();
    QVERIFY(members.back().bytes.find("'<U" + std::to_string(characters.size()) + "'") !=
            std::string::npos);
    QVERIFY(members.back().bytes.ends_with(
        std::string(reinterpret_cast<const char*>(characters.constData()),
                    static_cast<std::size_t>(characters.size()) * 4)));
}

void TestExportBytes::BL36_npz_isTheSameForEqualInput() {
    const std::string first = read_file(npz_);
    qputenv("TZ", "Asia/Tokyo");  // zip stores local times
    ::tzset();
    write_npz(npz_, tensors_, kMeta);
    QVERIFY(read_file(npz_) == first);
}

void TestExportBytes::BL36_npz_withoutTensorsOrText_isValid() {
    const fs::path file = npz_.parent_path() / "empty.npz";
    write_npz(file, {}, "");
    const auto members = read_zip(read_file(file));
    QCOMPARE(members.size(), std::size_t{1});
    QVERIFY(members[0].bytes.find("'<U1'") != std::string::npos);
}

void TestExportBytes::E4_safetensors_isReadBack() {
    const auto file = SafetensorsFile::open(safetensors_);
    QCOMPARE(file.tensors().size(), tensors_.size());
    QCOMPARE(file.metadata().at("earscope"), kMeta);
    for (const TensorView& tensor : tensors_) {
        const TensorView& found = file.tensors().at(tensor.name);
        QCOMPARE(found.dtype, tensor.dtype);
        QCOMPARE(found.shape, tensor.shape);
        QCOMPARE(found.bytes, tensor.bytes);
        QCOMPARE(std::memcmp(found.data, tensor.data, tensor.bytes), 0);
    }
    // The header keeps the order in which they were given.
    const std::string bytes = read_file(safetensors_);
    std::size_t at = bytes.find("__metadata__");
    for (const TensorView& tensor : tensors_) {
        const std::size_t next = bytes.find("\"" + tensor.name + "\":{");
        QVERIFY2(next != std::string::npos && next > at, tensor.name.c_str());
        at = next;
    }
}

void TestExportBytes::E4_safetensors_alignsEveryTensor() {
    const std::string bytes = read_file(safetensors_);
    QCOMPARE(number(bytes, 0, 8) % 8, std::uint64_t{0});
    const auto file = SafetensorsFile::open(safetensors_);
    for (const auto& [name, tensor] : file.tensors()) {
        const auto address = reinterpret_cast<std::uintptr_t>(tensor.data);
        QVERIFY2(tensor.bytes == 0 || address % dtype_size(tensor.dtype) == 0, name.c_str());
    }
}

void TestExportBytes::E4_python_readsTheSame() {
    const QString python = qEnvironmentVariable("EARSCOPE_PYTHON", QStringLiteral("python3"));
    QProcess process;
    process.start(python, {QStringLiteral("-c"), QStringLiteral("import numpy, safetensors")});
    if (!process.waitForFinished() || process.exitCode() != 0 ||
        process.exitStatus() != QProcess::NormalExit) {
        qInfo("%s has no numpy and safetensors; only the reader of this test was tried",
              qPrintable(python));
        return;
    }
    process.start(python,
                  {QStringLiteral(EARSCOPE_DUMP_ARRAYS), QString::fromStdString(npz_.string()),
                   QString::fromStdString(safetensors_.string())});
    QVERIFY(process.waitForFinished());
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
    std::set<std::string> found;
    for (const QByteArray& line : process.readAllStandardOutput().split('\n')) {
        if (!line.isEmpty()) {
            found.insert(line.toStdString());
        }
    }
    std::set<std::string> wanted{"npz-text\tmeta\t<U" +
                                     std::to_string(QString::fromStdString(kMeta).toUcs4().size()) +
                                     "\t[]\t" + hex(kMeta.data(), kMeta.size()),
                                 "metadata\tearscope\t" + hex(kMeta.data(), kMeta.size())};
    for (const TensorView& tensor : tensors_) {
        const std::string shape = "\t[" + python_shape(tensor.shape) + "]\t";
        const std::string array = npy_bytes(tensor);
        wanted.insert("npz\t" + tensor.name + "\t" + kDescr.at(tensor.dtype) + shape +
                      hex(array.data(), array.size()));
        wanted.insert("safetensors\t" + tensor.name + "\t" + std::string(dtype_name(tensor.dtype)) +
                      shape + hex(tensor.data, tensor.bytes));
    }
    for (const std::string& line : wanted) {
        QVERIFY2(found.contains(line), line.substr(0, 200).c_str());
    }
    QCOMPARE(found.size(), wanted.size());
}

QTEST_GUILESS_MAIN(TestExportBytes)
#include "tst_export_bytes.moc"
