// Names and links that try to lead out of a snapshot, and the layout of Hugging Face caches.
#include "core/base/errors.h"
#include "core/snapshot/snapshot.h"
#include "tests/core/snapshot/support.h"

#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <string>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace earscope;
using namespace earscope::test;
namespace fs = std::filesystem;

namespace {

/// Counts how often files of a folder are opened.
class OpenWatch {
public:
    explicit OpenWatch(const fs::path& folder) : descriptor_(::inotify_init1(IN_NONBLOCK)) {
        ::inotify_add_watch(descriptor_, folder.c_str(), IN_OPEN);
    }
    ~OpenWatch() { ::close(descriptor_); }
    OpenWatch(const OpenWatch&) = delete;
    OpenWatch& operator=(const OpenWatch&) = delete;
    bool opened() const {
        char buffer[4096];
        return ::read(descriptor_, buffer, sizeof(buffer)) > 0;
    }

private:
    int descriptor_;
};

}  // namespace

class TestSnapshotLinks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        top_ = fs::canonical(folder_->path().toStdString());
        root_ = top_ / "models" / "tiny";
        write_sharded(root_);
        fs::create_directory(top_ / "outside");
        write_shard(top_ / "outside" / "x.safetensors", {"c"});
    }

    void L7_shardName_isRefusedUnopened_data();
    void L7_shardName_isRefusedUnopened();
    void L7_watch_seesAnOpening();
    void L8_link_isRefused_data();
    void L8_link_isRefused();
    void L8_linkWithin_isFollowed();
    void hubEntry_linksIntoItsBlobs_areFollowed();
    void hubEntry_linksElsewhere_areRefused();
    void hubEntry_brokenLink_isAnIncompleteDownload();
    void hubEntry_revision_isChosenByRefsThenTime();
    void hubEntry_refs_cannotLeaveTheEntry();
    void cachedSnapshots_listsSupportedEntries();

private:
    std::string error(const fs::path& folder) {
        return error_of<SnapshotError>([&] { open_snapshot(folder); });
    }
    /// A snapshot of a cache entry as huggingface_hub lays it out: all files are links.
    fs::path make_hub_entry(const fs::path& hub, const std::string& name,
                            const std::string& revision) {
        const fs::path entry = hub / name;
        const fs::path plain = top_ / "plain";
        write_sharded(plain);
        fs::create_directories(entry / "blobs");
        fs::create_directories(entry / "refs");
        fs::create_directories(entry / "snapshots" / revision);
        for (const auto& file : fs::directory_iterator(plain)) {
            const std::string blob = "blob-" + file.path().filename().string();
            fs::copy_file(file, entry / "blobs" / blob, fs::copy_options::overwrite_existing);
            fs::create_symlink("../../blobs/" + blob,
                               entry / "snapshots" / revision / file.path().filename());
        }
        return entry;
    }

    std::unique_ptr<QTemporaryDir> folder_;
    fs::path top_;
    fs::path root_;
};

#define HAS(text, part) QVERIFY2((text).find(part) != std::string::npos, (text).c_str())

void TestSnapshotLinks::L7_shardName_isRefusedUnopened_data() {
    QTest::addColumn<QByteArray>("shard");  // as JSON
    QTest::addColumn<QByteArray>("fault");
    const auto row = [](const char* name, const std::string& shard, const char* fault) {
        QTest::newRow(name) << QByteArray::fromStdString(shard) << QByteArray(fault);
    };
    row("parent", R"("../../outside/x.safetensors")", "is not a plain file name");
    row("one up", R"("../x.safetensors")", "is not a plain file name");
    row("nested", R"("a/../../../outside/x.safetensors")", "is not a plain file name");
    row("backslash", R"("..\\..\\outside\\x.safetensors")", "is not a plain file name");
    row("NUL", R"("one.safetensors\u0000.safetensors")", "is not a plain file name");
    row("empty", R"("")", "is empty");
    row("dot", R"(".")", "does not end in .safetensors");
    row("dots", R"("..")", "does not end in .safetensors");
    row("number", "5", "is not a text");
    row("null", "null", "is not a text");
    row("list", R"(["one.safetensors"])", "is not a text");
    row("URL", R"("https://example.org/x.safetensors")", "is not a plain file name");
    row("5,000 characters", "\"" + std::string(5000, 'x') + ".safetensors\"",
        "is longer than 255 bytes");
    row("other ending", R"("pytorch_model.bin")", "does not end in .safetensors");
    row("absolute", "ABSOLUTE", "is not a plain file name");
}

void TestSnapshotLinks::L7_shardName_isRefusedUnopened() {
    QFETCH(QByteArray, shard);
    QFETCH(QByteArray, fault);
    std::string name = shard.toStdString();
    if (name == "ABSOLUTE") {
        name = nlohmann::json((top_ / "outside" / "x.safetensors").string()).dump();
    }
    write_file(root_ / "model.safetensors.index.json",
               R"({"weight_map":{"a":"one.safetensors","b":"one.safetensors","c":)" + name + "}}");
    const OpenWatch watch(top_ / "outside");
    const std::string text = error(root_);
    HAS(text, "model.safetensors.index.json: weight_map: the shard of tensor c");
    HAS(text, fault.toStdString());
    QVERIFY(text.size() < 1000);
    QVERIFY(!watch.opened());
}

void TestSnapshotLinks::L7_watch_seesAnOpening() {
    const OpenWatch watch(top_ / "outside");
    read_file(top_ / "outside" / "x.safetensors");
    QVERIFY(watch.opened());
}

void TestSnapshotLinks::L8_link_isRefused_data() {
    QTest::addColumn<QByteArray>("member");
    QTest::addColumn<QByteArray>("kind");
    QTest::addColumn<QByteArray>("fault");
    for (const char* const member : {"two.safetensors", "config.json", "tokenizer_config.json",
                                     "model.safetensors.index.json", "chat_template.jinja"}) {
        const auto row = [&](const char* kind, const char* fault) {
            QTest::newRow((std::string(member) + " " + kind).c_str())
                << QByteArray(member) << QByteArray(kind) << QByteArray(fault);
        };
        row("out", "is a link out of the snapshot");
        row("loop", "cannot be reached: Too many levels of symbolic links");
        row("fifo", "is not a regular file");
        row("folder", "is a folder, a file is needed");
        row("device", "is a link out of the snapshot (to /dev/zero)");
        row("broken", "download incomplete: this is a link to nowhere");
    }
}

void TestSnapshotLinks::L8_link_isRefused() {
    QFETCH(QByteArray, member);
    QFETCH(QByteArray, kind);
    QFETCH(QByteArray, fault);
    const fs::path file = root_ / member.toStdString();
    fs::rename(file, top_ / "outside" / "moved");
    if (kind == "out") {
        fs::create_symlink("../../outside/moved", file);
    } else if (kind == "loop") {
        fs::create_symlink(file.filename(), file);
    } else if (kind == "fifo") {
        QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
    } else if (kind == "folder") {
        fs::create_directory(file);
    } else {
        fs::create_symlink(kind == "device" ? "/dev/zero" : "nowhere", file);
    }
    const OpenWatch watch(top_ / "outside");
    // In a child, so that a call that blocks is ended after five seconds.
    const ChildResult result = in_child([&] { return error(root_); }, 5);
    QVERIFY(result.finished);
    HAS(result.text, file.string() + ": ");
    HAS(result.text, fault.toStdString());
    QVERIFY(!watch.opened());
}

void TestSnapshotLinks::L8_linkWithin_isFollowed() {
    fs::rename(root_ / "two.safetensors", root_ / "real.safetensors");
    fs::create_symlink("real.safetensors", root_ / "two.safetensors");
    QCOMPARE(error(root_), std::string("no error"));
    fs::create_directory_symlink(root_, top_ / "by-link");  // the folder itself may be a link
    QCOMPARE(open_snapshot(top_ / "by-link").folder, root_);
}

void TestSnapshotLinks::hubEntry_linksIntoItsBlobs_areFollowed() {
    const fs::path entry = make_hub_entry(top_, "models--org--name--x", "0123456789abcdef");
    const Snapshot snapshot = open_snapshot(entry);
    QCOMPARE(snapshot.name, std::string("org/name--x @ 0123456"));
    QCOMPARE(snapshot.folder, entry / "snapshots" / "0123456789abcdef");
    QCOMPARE(snapshot.tensors.size(), std::size_t{3});
    QVERIFY(!snapshot.files.empty());
    QCOMPARE(open_snapshot(snapshot.folder).name, snapshot.name);
}

void TestSnapshotLinks::hubEntry_linksElsewhere_areRefused() {
    const fs::path entry = make_hub_entry(top_, "models--org--name", "rev");
    const fs::path shard = entry / "snapshots" / "rev" / "two.safetensors";
    fs::create_directories(top_ / "models--org--other" / "blobs" / "deep");
    fs::create_directories(entry / "blobs" / "deep");
    for (const fs::path& target : {top_ / "models--org--other" / "blobs" / "x",
                                   entry / "blobs" / "deep" / "x", entry / "refs" / "x"}) {
        fs::copy_file(top_ / "outside" / "x.safetensors", target);
        fs::remove(shard);
        fs::create_symlink(target, shard);
        HAS(error(entry), "two.safetensors: is a link out of the snapshot");
    }
    // blobs itself being a link does not widen the rule.
    fs::rename(entry / "blobs", top_ / "elsewhere");
    fs::create_directory_symlink(top_ / "elsewhere", entry / "blobs");
    HAS(error(entry), "is a link out of the snapshot");
}

void TestSnapshotLinks::hubEntry_brokenLink_isAnIncompleteDownload() {
    const fs::path entry = make_hub_entry(top_, "models--org--name", "rev");
    fs::remove(entry / "blobs" / "blob-two.safetensors");
    const std::string text = error(entry);
    HAS(text,
        "two.safetensors: download incomplete: this is a link to "
        "../../blobs/blob-two.safetensors, which is not there");
    fs::remove(entry / "snapshots" / "rev" / "config.json");
    HAS(error(entry), "download incomplete: no snapshot of this cache entry has a config.json");
}

void TestSnapshotLinks::hubEntry_revision_isChosenByRefsThenTime() {
    const fs::path entry = make_hub_entry(top_, "models--org--name", "first");
    QCOMPARE(resolve_snapshot(entry).filename().string(), std::string("first"));
    make_hub_entry(top_, "models--org--name", "second");
    make_hub_entry(top_, "models--org--name", "third");
    const auto now = fs::file_time_type::clock::now();
    fs::last_write_time(entry / "snapshots" / "second", now + std::chrono::hours(1));
    QCOMPARE(resolve_snapshot(entry).filename().string(), std::string("second"));
    write_file(entry / "refs" / "main", "first\n");
    QCOMPARE(resolve_snapshot(entry).filename().string(), std::string("first"));
    write_file(entry / "refs" / "main", "not-downloaded");
    QCOMPARE(resolve_snapshot(entry).filename().string(), std::string("second"));
}

void TestSnapshotLinks::hubEntry_refs_cannotLeaveTheEntry() {
    const fs::path entry = make_hub_entry(top_, "models--org--name", "rev");
    for (const std::string revision : {"../../models/tiny", "..", "."}) {
        write_file(entry / "refs" / "main", revision);
        QCOMPARE(resolve_snapshot(entry).filename().string(), std::string("rev"));
    }
    fs::create_directory_symlink(root_, entry / "snapshots" / "link");
    write_file(entry / "refs" / "main", "link");
    HAS(error(entry), "its snapshot link is a link to another place");
}

void TestSnapshotLinks::cachedSnapshots_listsSupportedEntries() {
    const fs::path hub = top_ / "home" / "hub";
    fs::create_directories(hub);
    make_hub_entry(hub, "models--b--good", "rev");
    make_hub_entry(hub, "models--a--good", "rev");
    const fs::path other = make_hub_entry(hub, "models--a--other", "rev");
    write_file(other / "blobs" / "blob-config.json", "{\"model_type\":\"llama\"}");
    fs::create_directories(hub / "models--a--empty" / "snapshots");
    fs::create_directories(hub / "datasets--a--good");
    const std::vector<fs::path> wanted{hub / "models--a--good", hub / "models--b--good"};

    const char* const names[] = {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME",
                                 "XDG_CACHE_HOME", "HOME"};
    const auto with = [&](const char* name, const fs::path& value) {
        for (const char* const each : names) {
            qunsetenv(each);
        }
        qputenv(name, QByteArray::fromStdString(value.string()));
        return cached_snapshots();
    };
    QCOMPARE(with("HF_HUB_CACHE", hub), wanted);
    QCOMPARE(with("HUGGINGFACE_HUB_CACHE", hub), wanted);
    QCOMPARE(with("HF_HOME", top_ / "home"), wanted);
    fs::create_directories(top_ / "cache" / "huggingface");
    fs::create_directory_symlink(hub, top_ / "cache" / "huggingface" / "hub");
    QCOMPARE(with("XDG_CACHE_HOME", top_ / "cache").size(), std::size_t{2});
    fs::rename(top_ / "cache", top_ / ".cache");
    QCOMPARE(with("HOME", top_).size(), std::size_t{2});
    QVERIFY(with("HF_HUB_CACHE", top_ / "none").empty());
}

QTEST_GUILESS_MAIN(TestSnapshotLinks)
#include "tst_snapshot_links.moc"
