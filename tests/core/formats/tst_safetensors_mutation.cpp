// Replay of damaged files: whatever happens to the bytes, a file is refused or read in bounds.
#include "core/base/errors.h"
#include "core/formats/safetensors.h"
#include "tests/core/formats/support.h"

#include <QTemporaryDir>
#include <QTest>

#include <random>
#include <string>

using namespace earscope;
using namespace earscope::test;

namespace {

const std::string kHeader =
    R"({"__metadata__":{"format":"pt"},"a.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
    R"("b\u00fc":{"dtype":"BF16","shape":[4],"data_offsets":[24,32]},"c":{"dtype":"I64","shape":[],)"
    R"("data_offsets":[32,40]}})";

}  // namespace

class TestSafetensorsMutation : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        file_ = std::filesystem::path(folder_.path().toStdString()) / "m.safetensors";
        good_ = safetensors_bytes(kHeader, 40);
        QVERIFY(loads(good_));
    }

    void L15_cutAtEveryByte_isRefused() {
        for (std::size_t length = 0; length < good_.size(); ++length) {
            QVERIFY2(!loads(good_.substr(0, length)), std::to_string(length).c_str());
        }
    }

    void L15_everyByteChanged_neverCrashes() {
        int loaded = 0;
        int tried = 0;
        for (std::size_t at = 0; at < 8 + kHeader.size(); ++at) {
            for (const int change : {0x01, 0x02, 0x10, 0x20, 0x80, 0xFF}) {
                std::string bytes = good_;
                bytes[at] = static_cast<char>(bytes[at] ^ change);
                loaded += loads(bytes) ? 1 : 0;
                ++tried;
            }
        }
        qInfo("%d of %d changed files load", loaded, tried);
        QVERIFY(loaded < tried / 2);  // names and metadata may change, structure may not
    }

    void L15_randomSplices_neverCrash() {
        std::mt19937 random(2601);
        const std::string pieces[] = {"{",
                                      "}",
                                      "[",
                                      "]",
                                      ",",
                                      ":",
                                      "\"",
                                      "0",
                                      "-1",
                                      "1e999",
                                      "null",
                                      "\\u0000",
                                      "18446744073709551615",
                                      "\"dtype\":",
                                      " ",
                                      "\xFF"};
        for (int i = 0; i < 3000; ++i) {
            std::string header = kHeader;
            for (auto edits = 1 + random() % 3; edits > 0; --edits) {
                const std::size_t at = random() % header.size();
                header.replace(at, random() % 8, pieces[random() % std::size(pieces)]);
            }
            loads(safetensors_bytes(header, 40));
        }
    }

private:
    /// Opens and touches every byte; anything but success or SnapshotError fails the test.
    bool loads(const std::string& bytes) {
        write_file(file_, bytes);
        try {
            const SafetensorsFile file = SafetensorsFile::open(file_);
            unsigned sum = 0;
            for (const auto& [name, tensor] : file.tensors()) {
                for (std::size_t i = 0; i < tensor.bytes; ++i) {
                    sum += static_cast<unsigned>(tensor.data[i]);
                }
            }
            total_ += sum;
            return true;
        } catch (const SnapshotError&) {
            return false;
        }
    }

    QTemporaryDir folder_;
    std::filesystem::path file_;
    std::string good_;
    unsigned long total_ = 0;
};

QTEST_GUILESS_MAIN(TestSafetensorsMutation)
#include "tst_safetensors_mutation.moc"
