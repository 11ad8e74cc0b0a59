#include "core/base/errors.h"
#include "core/base/text.h"
#include "core/formats/json_file.h"
#include "tests/core/formats/support.h"

#include <QTemporaryDir>
#include <QTest>

#include <string>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace earscope;
using namespace earscope::test;

namespace {

std::string repeated(const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) {
        result += text;
    }
    return result;
}

// Not a tail call: the frame is needed after the call returns.
__attribute__((noinline)) int deep(int levels) {
    volatile char frame[512] = {};
    frame[0] = static_cast<char>(levels);
    return levels == 0 ? 0 : deep(levels - 1) + frame[0];
}

std::string with_small_stack(const std::function<std::string()>& function) {
    const rlimit limit{256 << 10, 256 << 10};
    ::setrlimit(RLIMIT_STACK, &limit);
    return function();
}

}  // namespace

class TestJsonFile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void parse_goodText_keepsValues() {
        const auto value =
            parse_json(R"( {"a": [1, -2, 2.5, true, null, "ü\u00fc🎵"], "b": {}} )", "text");
        QCOMPARE(value.at("a").size(), std::size_t{6});
        QCOMPARE(value.at("a").at(1).get<int>(), -2);
        QCOMPARE(value.at("a").at(5).get<std::string>(), std::string("üü🎵"));
        QVERIFY(value.at("b").is_object());
    }

    void parse_badText_isRefused_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("fault");
        const auto row = [](const char* name, const std::string& text, const char* fault) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QByteArray(fault);
        };
        row("L4 duplicate key", R"({"a":1,"b":{"c":1,"c":1}})", "duplicate key \"c\"");
        row("L4 duplicate key by escape", R"({"a":1,"\u0061":2})", "duplicate key \"a\"");
        row("L5 byte order mark", "\xEF\xBB\xBF{}", "byte order mark");
        row("L5 two roots", "{} {}", "not valid JSON");
        row("L5 second root behind NUL", std::string("{}\0{}", 5), "NUL at byte 2");
        row("L5 invalid UTF-8", "{\"a\":\"\xC3\x28\"}", "not valid UTF-8 at byte 6");
        row("L5 overlong UTF-8", "[\"\xC0\xAF\"]", "not valid UTF-8");
        row("L5 UTF-8 surrogate", "[\"\xED\xA0\x80\"]", "not valid UTF-8");
        row("L5 lone surrogate escape", R"(["\ud800"])", "not valid JSON");
        row("L5 deep arrays", repeated("[", 65) + repeated("]", 65), "deeper than 64");
        row("L5 deep objects", repeated("{\"a\":", 65) + "1" + repeated("}", 65), "deeper than 64");
        row("empty", "", "not valid JSON");
        row("cut", "{\"a\":", "not valid JSON");
        row("comment", "{/**/}", "not valid JSON");
        row("NaN", "[NaN]", "not valid JSON");
        row("out of range", "[1e400]", "not valid JSON");
        row("line break in the fault", "{\"a\":\n\"x\ny\"}", "not valid JSON");
    }
    void parse_badText_isRefused() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, fault);
        const std::string error = error_of<SnapshotError>(
            [&] { parse_json(std::string_view(text.data(), std::size_t(text.size())), "file.x"); });
        QVERIFY2(error.starts_with("file.x: "), error.c_str());
        QVERIFY2(error.find(fault.toStdString()) != std::string::npos, error.c_str());
        QVERIFY2(error.find('\n') == std::string::npos, error.c_str());
        QVERIFY(!first_invalid_utf8(error));
    }

    void parse_depthAtLimit_isAccepted() {
        QVERIFY(parse_json(repeated("[", 64) + repeated("]", 64), "text").is_array());
        QVERIFY(parse_json(repeated("[", 128) + repeated("]", 128), "text", kTokenizerJsonLimits)
                    .is_array());
    }

    void L5_deepNestingSmallStack_isRefusedWithoutOverflow() {
        // The control shows that the limit of the stack really is in force.
        QVERIFY(!in_child([] {
                     return with_small_stack([] { return std::to_string(deep(4000)); });
                 }).finished);
        for (const int depth : {50'000, 200'000}) {
            for (const char* const open : {"[", "{\"a\":"}) {
                const std::string text = repeated(open, depth);
                const ChildResult result = in_child([&] {
                    return with_small_stack(
                        [&] { return error_of<SnapshotError>([&] { parse_json(text, "deep"); }); });
                });
                QVERIFY(result.finished);
                QCOMPARE(result.text, std::string("deep: nested deeper than 64 levels"));
            }
        }
    }

    void parse_overLimits_isRefused() {
        const JsonLimits small{.bytes = 10, .depth = 4, .values = 3};
        QCOMPARE(error_of<SnapshotError>([&] { parse_json("           1", "t", small); }),
                 std::string("t: 12 bytes of JSON, at most 10 are read"));
        QCOMPARE(error_of<SnapshotError>([&] { parse_json("[1,2,3]", "t", small); }),
                 std::string("t: more than 3 values"));
    }

    void read_oddFiles_areRefusedWithReason() {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString();
        const auto error = [](const std::filesystem::path& file) {
            return error_of<SnapshotError>([&] { read_json_file(file); });
        };
        QVERIFY(error(path / "none.json")
                    .ends_with("none.json: cannot be read: No such file or "
                               "directory"));
        QVERIFY(error(path).ends_with("Is a directory"));
        QVERIFY(error("/dev/zero").ends_with("not a regular file"));
        ::mkfifo((path / "fifo").c_str(), 0600);
        QVERIFY(error(path / "fifo").ends_with("not a regular file"));
        std::filesystem::create_symlink("loop", path / "loop");
        QVERIFY(error(path / "loop").find("cannot be read: Too many levels") != std::string::npos);
        write_file(path / "big.json", std::string(100, ' ') + "1");
        QVERIFY(error_of<SnapshotError>([&] {
                    read_json_file(path / "big.json", {.bytes = 100});
                }).ends_with("101 bytes, at most 100 are read"));
        write_file(path / "good.json", "{\"a\":1}");
        QCOMPARE(read_json_file(path / "good.json").at("a").get<int>(), 1);
    }

    void oneLine_foreignText_isEscapedAndCut() {
        QCOMPARE(one_line("a\nb\x7F\xFF ü"), std::string("a\\x0ab\\x7f\\xff ü"));
        QCOMPARE(one_line("üüü", 5), std::string("üü..."));
        QCOMPARE(one_line("üü", 4), std::string("üü"));
    }
};

QTEST_GUILESS_MAIN(TestJsonFile)
#include "tst_json_file.moc"
