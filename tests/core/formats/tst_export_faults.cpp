// Writing that fails or is cancelled: the old file stays byte by byte and nothing is left beside
// it.
#include "core/base/errors.h"
#include "core/formats/npz.h"
#include "core/formats/safetensors.h"
#include "tests/core/formats/support.h"

#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <memory>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <sys/mount.h>
#include <sys/resource.h>
#include <vector>

using namespace earscope;
using namespace earscope::test;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kFloats = 800'000;  // 3.2 MB: several blocks

const std::vector<float>& values() {
    static const std::vector<float> kValues(kFloats, 0.25F);
    return kValues;
}

std::vector<TensorView> tensors(std::size_t floats = kFloats) {
    const auto* data = reinterpret_cast<const std::byte*>(values().data());
    return {{"first", DType::F32, {std::int64_t(floats)}, data, floats * 4},
            {"second", DType::BF16, {3}, data, 6}};
}

using Writer = void (*)(const fs::path&, std::span<const TensorView>, std::stop_token,
                        const ProgressCallback&);

void write_as_npz(const fs::path& file, std::span<const TensorView> all, std::stop_token stop,
                  const ProgressCallback& progress) {
    write_npz(file, all, "{}", std::move(stop), progress);
}

void write_as_safetensors(const fs::path& file, std::span<const TensorView> all,
                          std::stop_token stop, const ProgressCallback& progress) {
    write_safetensors(file, all, {{"earscope", "{}"}}, std::move(stop), progress);
}

}  // namespace

class TestExportFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        path_ = fs::canonical(folder_->path().toStdString());
        file_ = path_ / "f";
        write_file(file_, kOld);
    }

    void E1_sizeLimit_leavesTheOldFile_data() { formats(); }
    void E1_sizeLimit_leavesTheOldFile();
    void E1_diskFull_saysFreeAndNeeded_data() { formats(); }
    void E1_diskFull_saysFreeAndNeeded();
    void cancelled_beforeAndDuring_leavesTheOldFile_data() { formats(); }
    void cancelled_beforeAndDuring_leavesTheOldFile();
    void progress_countsBytesUpToTheTotal_data() { formats(); }
    void progress_countsBytesUpToTheTotal();
    void progress_thatThrows_isPassedOn_data() { formats(); }
    void progress_thatThrows_isPassedOn();
    void badTensors_areRefused_data() { formats(); }
    void badTensors_areRefused();
    void badTexts_areRefused();

private:
    static void formats() {
        QTest::addColumn<bool>("npz");
        QTest::newRow("safetensors") << false;
        QTest::newRow("npz") << true;
    }
    static Writer writer(bool npz) { return npz ? write_as_npz : write_as_safetensors; }
    void verifyUntouched() {
        QCOMPARE(read_file(file_), kOld);
        QCOMPARE(names_in(path_), std::set<std::string>{"f"});
    }

    inline static const std::string kOld = "the old file";
    std::unique_ptr<QTemporaryDir> folder_;
    fs::path path_;
    fs::path file_;
};

void TestExportFaults::E1_sizeLimit_leavesTheOldFile() {
    QFETCH(bool, npz);
    // Wherever the limit falls in a small file, down to nothing and up to all but one byte.
    const auto few = tensors(20);
    writer(npz)(file_, few, {}, {});
    const auto whole = fs::file_size(file_);
    std::vector<std::uintmax_t> limits{whole - 1, whole};
    for (std::uintmax_t limit = 0; limit < whole; limit += 5) {
        limits.push_back(limit);
    }
    for (const std::uintmax_t limit : limits) {
        write_file(file_, kOld);
        const ChildResult result = in_child([&] {
            ::signal(SIGXFSZ, SIG_IGN);
            const rlimit size{limit, limit};
            ::setrlimit(RLIMIT_FSIZE, &size);
            return error_of<ExportError>([&] { writer(npz)(file_, few, {}, {}); });
        });
        QVERIFY(result.finished);
        if (limit == whole) {
            QCOMPARE(result.text, std::string("no error"));
            QCOMPARE(fs::file_size(file_), whole);
            continue;
        }
        QCOMPARE(result.text, "cannot write " + file_.string() + ": File too large");
        verifyUntouched();
    }
}

void TestExportFaults::E1_diskFull_saysFreeAndNeeded() {
    QFETCH(bool, npz);
    // A small disk of its own, in a mount namespace that ends with the child.
    const ChildResult result = in_child([&]() -> std::string {
        if (::unshare(CLONE_NEWNS) != 0 ||
            ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("none", path_.c_str(), "tmpfs", 0, "size=64k") != 0) {
            return "no mount";
        }
        write_file(file_, kOld);
        const std::string text =
            error_of<ExportError>([&] { writer(npz)(file_, tensors(), {}, {}); });
        const bool kept = read_file(file_) == kOld && names_in(path_) == std::set<std::string>{"f"};
        return (kept ? "kept " : "lost ") + text;
    });
    QVERIFY(result.finished);
    if (result.text == "no mount") {
        qInfo("mounting is not allowed here; a full disk was not tried, only a size limit");
        return;
    }
    const std::string start = "kept cannot write " + file_.string() + ": No space left on device (";
    QVERIFY2(result.text.starts_with(start), result.text.c_str());
    const auto free = std::stoull(result.text.substr(start.size()));
    QVERIFY2(free <= 64 << 10, result.text.c_str());
    const auto comma = result.text.find("bytes free, ");
    QVERIFY2(comma != std::string::npos, result.text.c_str());
    QVERIFY2(std::stoull(result.text.substr(comma + 12)) > kFloats * 4, result.text.c_str());
    verifyUntouched();  // outside of the child's namespace
}

void TestExportFaults::cancelled_beforeAndDuring_leavesTheOldFile() {
    QFETCH(bool, npz);
    std::stop_source before;
    before.request_stop();
    QVERIFY_EXCEPTION_THROWN(writer(npz)(file_, tensors(), before.get_token(), {}), Cancelled);
    verifyUntouched();
    for (int report = 1; report <= 3; ++report) {
        std::stop_source during;
        int seen = 0;
        QVERIFY_EXCEPTION_THROWN(writer(npz)(file_, tensors(), during.get_token(),
                                             [&](const Progress&) {
                                                 if (++seen == report) {
                                                     during.request_stop();
                                                 }
                                             }),
                                 Cancelled);
        QCOMPARE(seen, report);
        verifyUntouched();
    }
}

void TestExportFaults::progress_countsBytesUpToTheTotal() {
    QFETCH(bool, npz);
    std::vector<Progress> reports;
    writer(npz)(file_, tensors(), {}, [&](const Progress& report) { reports.push_back(report); });
    QVERIFY(reports.size() >= 4);
    for (std::size_t i = 0; i < reports.size(); ++i) {
        QCOMPARE(reports[i].stage, Stage::Export);
        QCOMPARE(reports[i].total, reports[0].total);
        QVERIFY(i == 0 || reports[i].done > reports[i - 1].done);
    }
    QCOMPARE(reports.back().done, reports.back().total);
    if (!npz) {
        QCOMPARE(reports.back().total, std::int64_t(fs::file_size(file_)));
    }
}

void TestExportFaults::progress_thatThrows_isPassedOn() {
    QFETCH(bool, npz);
    QVERIFY_EXCEPTION_THROWN(
        writer(npz)(file_, tensors(), {},
                    [](const Progress&) { throw std::out_of_range("callback"); }),
        std::out_of_range);
    verifyUntouched();
}

void TestExportFaults::badTensors_areRefused() {
    QFETCH(bool, npz);
    const auto* data = reinterpret_cast<const std::byte*>(values().data());
    const auto error = [&](const std::vector<TensorView>& all) {
        return error_of<ExportError>([&] { writer(npz)(file_, all, {}, {}); });
    };
    const std::string what = "cannot write " + file_.string() + ": tensor ";
    const TensorView good{"a", DType::F32, {2}, data, 8};
    QCOMPARE(error({good, good}), what + "\"a\": the name is used twice");
    QCOMPARE(error({{"", DType::F32, {2}, data, 8}}), what + "\"\": its name is empty");
    QCOMPARE(error({{"\xFF", DType::F32, {2}, data, 8}}),
             what + "\"\\xff\": its name is not UTF-8");
    QCOMPARE(error({{std::string("a\0b", 3), DType::F32, {2}, data, 8}}),
             what + "\"a\\x00b\": its name holds NUL");
    QCOMPARE(error({{"a", DType::F32, {3}, data, 8}}), what + "\"a\": 8 bytes do not fit F32 [3]");
    QCOMPARE(error({{"a", DType::F32, {2}, nullptr, 8}}),
             what + "\"a\": 8 bytes do not fit F32 [2]");
    QCOMPARE(error({{"a", DType::F32, {1, 1, 1, 1, 1, 1, 1, 1, 2}, data, 8}}),
             what + "\"a\": 9 dimensions, at most 8 can be written");
    const std::string reserved = npz ? "meta" : "__metadata__";
    QCOMPARE(error({{reserved, DType::F32, {2}, data, 8}}),
             what + "\"" + reserved + "\": the name is reserved");
    verifyUntouched();
}

void TestExportFaults::badTexts_areRefused() {
    QVERIFY_EXCEPTION_THROWN(write_npz(file_, {}, "\xFF"), ExportError);
    QVERIFY_EXCEPTION_THROWN(write_safetensors(file_, {}, {{"k", "\xFF"}}), ExportError);
    verifyUntouched();
}

QTEST_GUILESS_MAIN(TestExportFaults)
#include "tst_export_faults.moc"
