#include "core/base/atomic_file.h"
#include "core/base/errors.h"
#include "tests/core/formats/support.h"

#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <string>
#include <sys/stat.h>

using namespace earscope;
using namespace earscope::test;
namespace fs = std::filesystem;

class TestAtomicFile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        path_ = fs::canonical(folder_->path().toStdString());
    }

    void commit_replacesTheOldFileAtOnce() {
        write_file(path_ / "f", "old");
        {
            AtomicFile file(path_ / "f");
            file.write("ne", 2);
            QCOMPARE(read_file(path_ / "f"), std::string("old"));
            QCOMPARE(names_in(path_).size(), std::size_t{2});
            QVERIFY(file.temporary_path().filename().string().starts_with(".earscope-"));
            file.write("w", 1);
            file.commit();
        }
        QCOMPARE(read_file(path_ / "f"), std::string("new"));
        QCOMPARE(names_in(path_), std::set<std::string>{"f"});
    }

    void destroyed_withoutCommit_leavesNothing() {
        {
            AtomicFile file(path_ / "f");
            file.write("new", 3);
        }
        QVERIFY(names_in(path_).empty());
    }

    void commit_keepsModeAndLinks() {
        write_file(path_ / "private", "old");
        ::chmod((path_ / "private").c_str(), 0600);
        fs::create_symlink("private", path_ / "link");
        AtomicFile file(path_ / "link");
        file.write("new", 3);
        file.commit();
        QVERIFY(fs::is_symlink(path_ / "link"));
        QCOMPARE(read_file(path_ / "private"), std::string("new"));
        QCOMPARE(fs::status(path_ / "private").permissions(),
                 fs::perms::owner_read | fs::perms::owner_write);
    }

    void newFile_followsTheUmask() {
        const ChildResult result = in_child([&] {
            ::umask(027);
            AtomicFile file(path_ / "f");
            file.commit();
            return std::to_string(static_cast<unsigned>(fs::status(path_ / "f").permissions()));
        });
        QCOMPARE(result.text, std::to_string(0640));
    }

    void E3_impossibleTargets_areRefused_data() {
        QTest::addColumn<QByteArray>("target");
        QTest::addColumn<QByteArray>("fault");
        QTest::newRow("folder") << QByteArray("sub") << QByteArray("Is a directory");
        QTest::newRow("no folder") << QByteArray("none/f") << QByteArray("No such file");
        QTest::newRow("file as folder") << QByteArray("file/f") << QByteArray("Not a directory");
        QTest::newRow("no name") << QByteArray("sub/") << QByteArray("a file name is needed");
        QTest::newRow("fifo") << QByteArray("fifo") << QByteArray("not a regular file");
        QTest::newRow("device") << QByteArray("/dev/full") << QByteArray("not a regular file");
        QTest::newRow("link to a device") << QByteArray("null") << QByteArray("not a regular file");
        QTest::newRow("loop") << QByteArray("loop") << QByteArray("Too many levels");
    }
    void E3_impossibleTargets_areRefused() {
        QFETCH(QByteArray, target);
        QFETCH(QByteArray, fault);
        fs::create_directory(path_ / "sub");
        write_file(path_ / "file", "x");
        ::mkfifo((path_ / "fifo").c_str(), 0600);
        fs::create_symlink("/dev/null", path_ / "null");
        fs::create_symlink("loop", path_ / "loop");
        const auto before = names_in(path_);
        const std::string text =
            error_of<ExportError>([&] { AtomicFile file(path_ / target.toStdString()); });
        QVERIFY2(text.starts_with("cannot write "), text.c_str());
        QVERIFY2(text.find(fault.toStdString()) != std::string::npos, text.c_str());
        QCOMPARE(names_in(path_), before);
        QVERIFY(fs::is_character_file("/dev/null"));
    }

    void E3_nameTooLong_leavesNothing() {
        const std::string text = error_of<ExportError>([&] {
            AtomicFile file(path_ / std::string(300, 'x'));
            file.commit();
        });
        QVERIFY2(text.find("File name too long") != std::string::npos, text.c_str());
        QVERIFY(names_in(path_).empty());
    }

    void E3_readOnlyFolder_isRefused() {
        if (::geteuid() == 0) {  // root may write everywhere; become nobody
            fs::permissions(path_,
                            fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
        } else {
            fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_exec);
        }
        const ChildResult result = in_child([&] {
            if (::geteuid() == 0 && ::setuid(65534) != 0) {
                return std::string("cannot drop root");
            }
            return error_of<ExportError>([&] { AtomicFile file(path_ / "f"); });
        });
        QCOMPARE(result.text, "cannot write " + (path_ / "f").string() + ": Permission denied");
        fs::permissions(path_, fs::perms::owner_all);
    }

    void commit_folderGone_isAnError() {
        fs::create_directory(path_ / "sub");
        AtomicFile file(path_ / "sub" / "f");
        file.write("x", 1);
        fs::remove_all(path_ / "sub");
        QVERIFY(error_of<ExportError>([&] { file.commit(); }).find("No such file") !=
                std::string::npos);
    }

private:
    std::unique_ptr<QTemporaryDir> folder_;
    fs::path path_;
};

QTEST_GUILESS_MAIN(TestAtomicFile)
#include "tst_atomic_file.moc"
