#include "core/base/errors.h"
#include "core/base/text.h"
#include "core/formats/safetensors.h"
#include "tests/core/formats/support.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <vector>

using namespace earscope;
using namespace earscope::test;

namespace {

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets,
                  const std::string& dtype = "\"F32\"") {
    return "\"" + name + "\":{\"dtype\":" + dtype + ",\"shape\":" + shape +
           ",\"data_offsets\":" + offsets + "}";
}

std::string repeated(const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) {
        result += text;
    }
    return result;
}

const std::string kA = entry("a", "[2]", "[0,8]");

void row(const char* name, const std::string& header, int data_bytes, const char* fault) {
    QTest::newRow(name) << QByteArray::fromStdString(header) << data_bytes << QByteArray(fault);
}

}  // namespace

class TestSafetensors : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        file_ = std::filesystem::path(folder_.path().toStdString()) / "x.safetensors";
    }

    void open_goodFile_viewsAndReads();
    void open_realSnapshots_readsEqualBothWays();
    void open_limits_areAccepted();
    void L1_headerLength_isRefusedWithoutAllocation_data();
    void L1_headerLength_isRefusedWithoutAllocation();
    void L1_peakMeasure_seesAnAllocation();
    void badHeader_isRefused_data();
    void badHeader_isRefused();
    void L5_deepNestingSmallStack_isRefused();
    void L8_oddFiles_areRefusedWithoutBlocking();
    void L10_truncatedWhileMapped_readIsAnError();
    void tooManyTensors_isRefused();

private:
    SafetensorsFile open(const std::string& bytes) {
        write_file(file_, bytes);
        return SafetensorsFile::open(file_);
    }
    std::string error(const std::string& bytes) {
        return error_of<SnapshotError>([&] { open(bytes); });
    }

    QTemporaryDir folder_;
    std::filesystem::path file_;
};

void TestSafetensors::open_goodFile_viewsAndReads() {
    // Listed out of order, header and second tensor not aligned: all of this is allowed.
    const SafetensorsFile file = open(safetensors_bytes(
        "{" + entry("wide", "[1,1]", "[3,11]", "\"F64\"") +
            ",\"__metadata__\":{\"format\":\"pt\"}," + entry("bytes", "[3]", "[0,3]", "\"U8\"") +
            "," + entry("none", "[0,7]", "[11,11]") + "," + entry("scalar", "[]", "[11,15]") +
            "}  ",
        15));
    QCOMPARE(file.tensors().size(), std::size_t{4});
    QCOMPARE(file.metadata().at("format"), std::string("pt"));
    const TensorView& wide = file.tensors().at("wide");
    QCOMPARE(wide.dtype, DType::F64);
    QCOMPARE(wide.shape, (std::vector<std::int64_t>{1, 1}));
    QCOMPARE(wide.bytes, std::size_t{8});
    QCOMPARE(std::memcmp(wide.data, "\3\4\5\6\7\10\11\12", 8), 0);
    QCOMPARE(file.tensors().at("none").bytes, std::size_t{0});
    QVERIFY(file.tensors().at("scalar").shape.empty());
    std::vector<std::byte> copy(8);
    file.read(wide, copy.data());
    QCOMPARE(std::memcmp(wide.data, copy.data(), 8), 0);
    QVERIFY(open(safetensors_bytes("{}", 0)).tensors().empty());
}

void TestSafetensors::open_realSnapshots_readsEqualBothWays() {
    const std::filesystem::path root = EARSCOPE_FIXTURES "/mf-tiny";
    std::size_t tensors = 0;
    for (const char* const name :
         {"snapshot/model", "snapshot-bf16/model-00001-of-00003",
          "snapshot-bf16/model-00002-of-00003", "snapshot-bf16/model-00003-of-00003"}) {
        const auto file = SafetensorsFile::open(root / (name + std::string(".safetensors")));
        QCOMPARE(file.metadata().at("format"), std::string("pt"));
        for (const auto& [key, tensor] : file.tensors()) {
            std::vector<std::byte> copy(tensor.bytes);
            file.read(tensor, copy.data());
            QCOMPARE(std::memcmp(copy.data(), tensor.data, tensor.bytes), 0);
            ++tensors;
        }
    }
    QCOMPARE(tensors, std::size_t{92 * 2});
}

void TestSafetensors::open_limits_areAccepted() {
    const std::string longest(1024, 'n');
    const auto file =
        open(safetensors_bytes("{" + entry(longest, "[1,1,1,1,1,1,1,2]", "[0,8]") + "}", 8));
    QCOMPARE(file.tensors().at(longest).shape.size(), std::size_t{8});
}

void TestSafetensors::L1_headerLength_isRefusedWithoutAllocation_data() {
    QTest::addColumn<quint64>("length");
    QTest::addColumn<QByteArray>("fault");
    constexpr auto kAll = std::numeric_limits<quint64>::max();
    QTest::newRow("2^64-1") << kAll << QByteArray("is over 100000000");
    QTest::newRow("2^64-8") << kAll - 7 << QByteArray("is over 100000000");
    QTest::newRow("2^63-1") << kAll / 2 << QByteArray("is over 100000000");
    QTest::newRow("cap+1") << quint64{100'000'001} << QByteArray("is over 100000000");
    QTest::newRow("cap") << quint64{100'000'000} << QByteArray("past the end of the file");
    QTest::newRow("one past") << quint64{65} << QByteArray("past the end of the file");
    QTest::newRow("none") << quint64{0} << QByteArray("does not start with '{'");
}

void TestSafetensors::L1_headerLength_isRefusedWithoutAllocation() {
    QFETCH(quint64, length);
    QFETCH(QByteArray, fault);
    std::string header = "{" + kA + "}";
    header.resize(64, ' ');
    write_file(file_, little_endian(length) + header);
    const ChildResult result = in_child([&] {
        const long before = peak_kib();
        const std::string text = error_of<SnapshotError>([&] { SafetensorsFile::open(file_); });
        return std::to_string(peak_kib() - before) + " " + text;
    });
    QVERIFY(result.finished);
    QVERIFY2(result.text.find(fault.toStdString()) != std::string::npos, result.text.c_str());
    QVERIFY2(result.text.find(file_.string()) != std::string::npos, result.text.c_str());
    QVERIFY2(std::stol(result.text) < 16 << 10, result.text.c_str());
}

void TestSafetensors::L1_peakMeasure_seesAnAllocation() {
    const ChildResult result = in_child([] {
        const long before = peak_kib();
        const std::string touched(std::size_t{32} << 20, 'x');
        return std::to_string(peak_kib() - before + (touched.back() == 'x' ? 0 : 1));
    });
    QVERIFY(result.finished);
    QVERIFY2(std::stol(result.text) >= 16 << 10, result.text.c_str());
}

void TestSafetensors::badHeader_isRefused_data() {
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<int>("data_bytes");
    QTest::addColumn<QByteArray>("fault");
    const auto two = [](const std::string& offsets) {
        return "{" + kA + "," + entry("b", "[2]", offsets) + "}";
    };
    const auto offsets = [](const std::string& text) {
        return "{" + entry("a", "[2]", text) + "}";
    };
    row("L2 overlapping", two("[4,12]"), 12, "tensor b: data_offsets [4,12] overlap");
    row("L2 shared", two("[0,8]"), 8, "tensor b: data_offsets [0,8] overlap");
    row("L2 holed", two("[12,20]"), 20, "tensor b: data_offsets [12,20] leave a hole from byte 8");
    row("L2 hole at the start", offsets("[4,12]"), 12,
        "tensor a: data_offsets [4,12] leave a hole");
    row("L2 inverted", offsets("[8,0]"), 8, "tensor a: data_offsets [8,0] are inverted");
    row("L2 past the end", two("[8,16]"), 15, "tensor b: data_offsets [8,16] end behind");
    row("L2 negative", offsets("[-8,0]"), 8, "tensor a: data_offsets hold the negative number -8");
    row("L2 float", offsets("[0,8.0]"), 8, "tensor a: data_offsets hold the number 8.0");
    row("L2 1e400", offsets("[0,1e400]"), 8, "tensor a: not valid JSON");
    row("L2 over 64 bits", offsets("[0,18446744073709551624]"), 8, "tensor a: data_offsets hold");
    row("L2 string", offsets("[\"0\",\"8\"]"), 8, "tensor a: data_offsets hold the string \"0\"");
    row("L2 three", offsets("[0,8,8]"), 8, "tensor a: data_offsets hold more than two");
    row("L2 one", offsets("[0]"), 8, "tensor a: data_offsets need two");
    row("L2 none", offsets("[]"), 8, "tensor a: data_offsets need two");
    row("L2 no array", offsets("8"), 8, "tensor a: data_offsets is the number 8");
    row("L2 other size", offsets("[0,4]"), 4, "tensor a: data_offsets [0,4] hold 4 bytes");
    row("L2 trailing bytes", offsets("[0,8]"), 9, "1 bytes behind the last tensor");
    row("L2 only trailing bytes", "{}", 1, "1 bytes behind the last tensor");

    const auto shape = [](const std::string& text) {
        return "{" + entry("a", text, "[0,8]") + "}";
    };
    row("L3 product", shape("[4294967296,4294967296]"), 8, "tensor a: the size of shape");
    row("L3 byte size", shape("[4611686018427387904]"), 8, "tensor a: the size of shape");
    row("L3 hidden by 0", shape("[0,4611686018427387904,4]"), 8, "tensor a: the size of shape");
    row("L3 2^63", shape("[0,9223372036854775808]"), 8, "tensor a: shape holds the number 9223");
    row("L3 negative", shape("[-2]"), 8, "tensor a: shape holds the negative number -2");
    row("L3 bool", shape("[true]"), 8, "tensor a: shape holds true");
    row("L3 float", shape("[2.0]"), 8, "tensor a: shape holds the number 2.0");
    row("L3 nested", shape("[[2]]"), 8, "tensor a: shape holds an array");
    row("L3 9 dimensions", shape("[1,1,1,1,1,1,1,1,2]"), 8, "tensor a: more than 8 dimensions");
    row("L3 100,001 dimensions", shape("[2" + repeated(",1", 100'000) + "]"), 8,
        "tensor a: more than 8 dimensions");

    row("L4 tensor", "{" + kA + "," + kA + "}", 8, "duplicate tensor a");
    row("L4 field", R"({"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8,
        "tensor a: duplicate field dtype");
    row("L4 metadata", "{\"__metadata__\":{},\"__metadata__\":{}}", 0, "duplicate __metadata__");
    row("L4 metadata key", R"({"__metadata__":{"k":"1","k":"2"}})", 0,
        "__metadata__: duplicate key \"k\"");

    row("L5 byte order mark", "\xEF\xBB\xBF{}", 0, "does not start with '{'");
    row("L5 two roots", "{}{}", 0, "not valid JSON");
    row("L5 root behind NUL", std::string("{}\0{}", 5), 0, "NUL at byte 2");
    row("L5 array", "[]", 0, "does not start with '{'");
    row("L5 space first", " {}", 0, "does not start with '{'");
    row("L5 invalid UTF-8", "{\"\xFF\":1}", 0, "not valid UTF-8 at byte 2");
    row("L5 NUL in name", "{" + entry("a\\u0000b", "[2]", "[0,8]") + "}", 8,
        "tensor name \"a\\x00b\" holds NUL");
    row("L5 deep value", "{\"a\":" + repeated("[", 100'000), 0, "tensor a is an array");
    row("L5 deep metadata", "{\"__metadata__\":{\"k\":" + repeated("{\"a\":", 100'000), 0,
        "__metadata__: k is an object");
    row("L5 cut", "{" + kA, 8, "not valid JSON");

    for (const char* const dtype : {"\"F4\"", "\"F8_E4M3\"", "\"f32\"", "\"\"", "\"C64\""}) {
        row((std::string("L6 ") + dtype).c_str(), "{" + entry("a", "[2]", "[0,8]", dtype) + "}", 8,
            "is not supported");
    }
    row("L6 unknown and out of range", "{" + entry("a", "[2]", "[0,999]", "\"F4\"") + "}", 8,
        "tensor a: dtype \"F4\" is not supported");
    row("L6 number", "{" + entry("a", "[2]", "[0,8]", "5") + "}", 8,
        "tensor a: dtype is the number 5");
    row("L6 null", "{" + entry("a", "[2]", "[0,8]", "null") + "}", 8, "tensor a: dtype is null");

    row("no dtype", R"({"a":{"shape":[2],"data_offsets":[0,8]}})", 8, "dtype is missing");
    row("no shape", R"({"a":{"dtype":"F32","data_offsets":[0,8]}})", 8, "shape is missing");
    row("no offsets", R"({"a":{"dtype":"F32","shape":[2]}})", 8, "data_offsets is missing");
    row("empty entry", R"({"a":{}})", 8, "tensor a: dtype is missing");
    row("unknown field", R"({"a":{"stride":[1]}})", 8, "tensor a: unknown field \"stride\"");
    row("tensor is no object", R"({"a":1})", 8, "tensor a is the number 1");
    row("metadata is no object", R"({"__metadata__":"x"})", 0, "__metadata__ is the string");
    row("metadata value", R"({"__metadata__":{"k":1}})", 0, "__metadata__: k is the number 1");
    row("empty name", "{" + entry("", "[2]", "[0,8]") + "}", 8, "tensor name \"\" is empty");
    row("long name", "{" + entry(std::string(1025, 'n'), "[2]", "[0,8]") + "}", 8,
        "is longer than 1024 bytes");
}

void TestSafetensors::badHeader_isRefused() {
    QFETCH(QByteArray, header);
    QFETCH(int, data_bytes);
    QFETCH(QByteArray, fault);
    const std::string text =
        error(safetensors_bytes(header.toStdString(), static_cast<std::size_t>(data_bytes)));
    QVERIFY2(text.starts_with(file_.string() + ": "), text.c_str());
    QVERIFY2(text.find(fault.toStdString()) != std::string::npos, text.c_str());
    QVERIFY2(text.find('\n') == std::string::npos, text.c_str());
    QVERIFY(!first_invalid_utf8(text));
}

void TestSafetensors::L5_deepNestingSmallStack_isRefused() {
    for (const int depth : {50'000, 200'000}) {
        write_file(file_, safetensors_bytes("{\"a\":" + repeated("{\"a\":", depth), 0));
        const ChildResult result = in_child([&] {
            const rlimit limit{256 << 10, 256 << 10};
            ::setrlimit(RLIMIT_STACK, &limit);
            return error_of<SnapshotError>([&] { SafetensorsFile::open(file_); });
        });
        QVERIFY(result.finished);
        QVERIFY2(result.text.find("tensor a: unknown field") != std::string::npos,
                 result.text.c_str());
    }
}

void TestSafetensors::L8_oddFiles_areRefusedWithoutBlocking() {
    const std::filesystem::path path = folder_.path().toStdString();
    const auto error_at = [](const std::filesystem::path& file) {
        return in_child(
                   [&] { return error_of<SnapshotError>([&] { SafetensorsFile::open(file); }); }, 5)
            .text;
    };
    ::mkfifo((path / "fifo").c_str(), 0600);
    QCOMPARE(error_at(path / "fifo"),
             (path / "fifo").string() + ": cannot be read: not a regular file");
    QVERIFY(error_at(path).ends_with("cannot be read: Is a directory"));
    QVERIFY(error_at("/dev/zero").ends_with("cannot be read: not a regular file"));
    QVERIFY(error_at(path / "none").ends_with("cannot be read: No such file or directory"));
    for (int bytes = 0; bytes < 8; ++bytes) {
        QVERIFY(error(std::string(std::size_t(bytes), '\0')).find("too few") != std::string::npos);
    }
}

void TestSafetensors::L10_truncatedWhileMapped_readIsAnError() {
    const std::string bytes =
        safetensors_bytes("{" + entry("a", "[100000]", "[0,400000]") + "}", 400000);
    const SafetensorsFile file = open(bytes);
    std::vector<std::byte> copy(400000);
    file.read(file.tensors().at("a"), copy.data());
    QCOMPARE(copy[7], std::byte{7});
    std::filesystem::resize_file(file_, 5000);
    const std::string text =
        error_of<SnapshotError>([&] { file.read(file.tensors().at("a"), copy.data()); });
    QCOMPARE(text, file_.string() + ": tensor a: became shorter while it was read; load it again");
}

void TestSafetensors::tooManyTensors_isRefused() {
    std::string header = "{";
    for (int i = 0; i <= 100'000; ++i) {
        header += (i > 0 ? "," : "") + entry("t" + std::to_string(i), "[0]", "[0,0]");
    }
    QVERIFY(error(safetensors_bytes(header + "}", 0)).ends_with("more than 100000 tensors"));
    const auto last = header.rfind(",\"t");
    QCOMPARE(open(safetensors_bytes(header.substr(0, last) + "}", 0)).tensors().size(),
             std::size_t{100'000});
}

QTEST_GUILESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"
