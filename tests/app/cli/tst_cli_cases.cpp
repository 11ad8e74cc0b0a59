// Runs requests of the reference's fixture set through the program and compares everything that
// they store: ids, masks, mel, embeddings, hidden states, logits, gradients, answers.
#include "tests/app/cli/case_check.h"
#include "tests/app/cli/cli_process.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>

using namespace earscope;
using namespace earscope::testing;
using nlohmann::json;

namespace {

json read_json(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return json::parse(stream);
}

QString fixtureSet(const char* set, const char* name) {
    return QStringLiteral(EARSCOPE_FIXTURES "/%1/%2").arg(QLatin1String(set), QLatin1String(name));
}

QString text_of(const std::string& text) {
    return QString::fromStdString(text);
}

class CaseRun {
public:
    CaseRun(const std::filesystem::path& folder, QString out)
        : folder_(folder), out_(std::move(out)) {
        request_ = read_json(folder / "request.json");
        expected_ = read_json(folder / "expected.json");
        const auto set = folder.parent_path().parent_path();
        const std::string snapshot = request_.value("snapshot", "snapshot");
        dtype_ = request_.value("dtype", "float32");
        // Written from the case's folder or from the set's.
        const auto own = folder / snapshot;
        base_ = {
            text_of((std::filesystem::exists(own / "config.json") ? own : set / snapshot).string()),
            QStringLiteral("--request"),
            text_of((folder / "request.json").string()),
            QStringLiteral("--device"),
            QStringLiteral("cpu"),
            QStringLiteral("--threads"),
            QStringLiteral("1")};
        layers_ = set.filename() == "moss-tiny" ? "language_model.layers."
                                                : "model.language_model.layers.";
        if (request_.contains("hook")) {
            add_edit(request_["hook"]);
        }
        for (const json& hook : request_.value("hooks", json::array())) {
            add_operation(hook);
        }
    }

    /// What is wrong, one line each; empty when all is well.
    QStringList check() {
        if (expected_.contains("error") || expected_.contains("undecided")) {
            check_refused();
            return problems_;
        }
        want_ = load_arrays(folder_ / "expected.safetensors");
        real_ = want_.at("attention_mask").values;
        read_times();
        check_prepare();
        check_tensors("extract", {"raw", "projected", "deepstack_", "contextual."},
                      extract_options());
        check_tensors("forward", {"logits", "full_logits", "hidden.", "hookobs.", "grad.", "loss"},
                      forward_options());
        check_generate();
        for (const auto& [name, array] : want_) {
            const bool index = name.ends_with("_idx");
            const bool steps = name == "gen_logits" || name == "gen_scores";
            if (!index && !steps && !compared_.contains(name)) {
                wrong(name + ": stored and not compared");
            }
        }
        return problems_;
    }

private:
    void wrong(const std::string& text) {
        if (!text.empty()) {
            problems_ << text_of(text);
        }
    }

    /// "output + 0.1" of the fixtures is add:0.1 here.
    void add_edit(const json& hook) {
        const std::string edit = hook.at("edit");
        const std::string value = edit.substr(edit.find_last_of(' ') + 1);
        const std::string operation = edit.find('+') != std::string::npos ? "add:" : "scale:";
        edits_ << QStringLiteral("--edit")
               << text_of(hook.at("module").get<std::string>() + "=" + operation + value);
    }

    /// {"op": "mul", "value": 0.5} of the fixtures is scale:0.5 here.
    void add_operation(const json& hook) {
        const std::string operation = hook.at("op") == "add" ? "add:" : "scale:";
        edits_ << QStringLiteral("--edit")
               << text_of(hook.at("module").get<std::string>() + "=" + operation +
                          hook.at("value").dump());
    }

    CliResult run(const char* command, const QStringList& options) {
        const QStringList arguments = QStringList{QLatin1String(command)} + base_ + options;
        return runCli(arguments);
    }

    /// The JSON on stdout; a problem when the command failed.
    json answer(const char* command, const QStringList& options) {
        const CliResult result = run(command, options);
        if (result.status != 0) {
            wrong(std::string(command) + " ended with " + std::to_string(result.status) + ": " +
                  result.err.toStdString());
            return {};
        }
        return json::parse(result.out.toStdString());
    }

    void check_refused() {
        const QString file = out_ + QStringLiteral("/refused.safetensors");
        const CliResult prepared = run("prepare", {QStringLiteral("--out"), file});
        const CliResult generated = run("generate", words("--max-new-tokens 4"));
        if (!prepared.isRefusal() || !generated.isRefusal()) {
            wrong("not refused as it must be: " + prepared.err.toStdString());
        }
        if (!QDir(out_).isEmpty()) {
            wrong("a refused run left a file");
        }
    }

    /// time_s.a of the sources from the times of the windows; MOSS-Music's tokens last 0.08 s.
    void read_times() {
        for (std::size_t a = 0; a < expected_.at("slots").size(); ++a) {
            const json& slot = expected_["slots"][a];
            if (slot.contains("chunks")) {
                Array seconds{{slot.at("n_tokens").get<std::int64_t>()}, {}};
                for (std::int64_t i = 0; i < seconds.shape[0]; ++i) {
                    seconds.values.push_back(0.08 * static_cast<double>(i));
                }
                want_["time_s." + std::to_string(a)] = std::move(seconds);
            }
        }
        if (!want_.contains("timestamps")) {  // a request without audio
            return;
        }
        const Array& times = want_.at("timestamps");
        const std::size_t width = times.values.size() / std::max<std::size_t>(1, times.rows());
        std::size_t window = 0;
        const json& slot_list = expected_.at("slots");
        for (std::size_t a = 0; a < slot_list.size(); ++a) {
            Array seconds;
            for (const std::size_t tokens : slot_list[a].at("window_tokens")) {
                const auto begin =
                    times.values.begin() + static_cast<std::ptrdiff_t>(window * width);
                seconds.values.insert(seconds.values.end(), begin,
                                      begin + static_cast<std::ptrdiff_t>(tokens));
                ++window;
            }
            seconds.shape = {static_cast<std::int64_t>(seconds.values.size())};
            want_["time_s." + std::to_string(a)] = std::move(seconds);
        }
        compared_.insert("timestamps");
    }

    std::vector<std::string> wanted(const std::vector<std::string>& prefixes) const {
        std::vector<std::string> names;
        for (const auto& entry : want_) {
            const std::string& name = entry.first;  // a lambda may not capture a binding in clang
            const bool mine = std::any_of(prefixes.begin(), prefixes.end(),
                                          [&](const auto& p) { return name.starts_with(p); });
            if (mine && !name.ends_with("_idx")) {
                names.push_back(name);
            }
        }
        return names;
    }

    QStringList extract_options() const {
        std::set<int> layers;
        for (const std::string& name : wanted({"contextual."})) {
            layers.insert(std::stoi(name.substr(11)));
        }
        QStringList texts;
        for (const int layer : layers) {
            texts << QString::number(layer);
        }
        return texts.isEmpty() ? QStringList{}
                               : QStringList{QStringLiteral("--layers=") + texts.join(u',')};
    }

    QStringList forward_options() const {
        QStringList options;
        if (want_.contains("full_logits")) {
            options << QStringLiteral("--full-logits");
        }
        if (!wanted({"hidden."}).empty()) {
            options << QStringLiteral("--layers=all");
        }
        for (const std::string& name : wanted({"hookobs."})) {
            options << QStringLiteral("--probe") << text_of(layers_ + name.substr(8));
        }
        QStringList gradients;
        for (const std::string& name : wanted({"grad."})) {
            gradients << (name.starts_with("grad.mel") ? QStringLiteral("mel")
                                                       : text_of(name.substr(5)));
        }
        if (!gradients.isEmpty()) {
            const bool audio = request_.at("grad") == "projected";
            options << QStringLiteral("--grad")
                    << (audio ? QStringLiteral("audio") : QStringLiteral("contextual"))
                    << QStringLiteral("--wrt") << gradients.join(u',');
        }
        return options;
    }

    void check_tensors(const char* command, const std::vector<std::string>& prefixes,
                       const QStringList& options) {
        const std::vector<std::string> names = wanted(prefixes);
        if (names.empty()) {
            return;
        }
        const QString file = out_ + u'/' + QLatin1String(command) + QStringLiteral(".safetensors");
        answer(command, edits_ + options + QStringList{QStringLiteral("--out"), file});
        if (problems_.isEmpty()) {
            compare(load_arrays(file.toStdString()), names);
        }
    }

    void compare(Arrays got, const std::vector<std::string>& names) {
        derive_mel(got, want_);
        derive_resampled(got, want_);
        wrong(derive_gradient(got, want_));
        for (const auto& [name, array] : Arrays(got)) {
            if (name.starts_with("probe." + layers_)) {
                got["hookobs." + name.substr(6 + layers_.size())] = array;
            }
        }
        if (const auto full = got.find("full_logits"); full != got.end()) {
            const auto vocabulary = full->second.shape.back();
            Array last{{1, 1, vocabulary}, {}};  // such cases hold one request
            last.values.assign(full->second.values.end() - vocabulary, full->second.values.end());
            got["logits"] = std::move(last);
        }
        for (const std::string& name : names) {
            compared_.insert(name);
            const bool by_position = name.starts_with("hidden.") || name.starts_with("hookobs.") ||
                                     name.starts_with("full_logits");
            const Array& want = want_.at(name);
            wrong(difference(name, got, want, rule_for(name, want, dtype_ == "bfloat16", lossy()),
                             by_position ? real_ : std::vector<double>{}));
        }
    }

    /// MP3 and Vorbis decoders differ in the last bits.
    bool lossy() const {
        for (const json& request : request_.at("requests")) {
            for (const json& audio : request.at("audios")) {
                const std::string file = audio.value("file", "");
                if (file.ends_with(".mp3") || file.ends_with(".ogg")) {
                    return true;
                }
            }
        }
        return false;
    }

    void check_prepare() {
        const QString file = out_ + QStringLiteral("/prepare.safetensors");
        const json got = answer("prepare", {QStringLiteral("--out"), file});
        if (!problems_.isEmpty()) {
            return;
        }
        compare(load_arrays(file.toStdString()),
                wanted({"input_ids", "attention_mask", "feature_", "token_positions.", "time_s.",
                        "mel", "resampled."}));
        for (const char* key : {"prompt_with_markers", "expanded_prompt"}) {
            if (got.at(key) != expected_.at(key)) {
                wrong(std::string(key) + ": " + got.at(key).dump());
            }
        }
        const json& slot_list = expected_.at("slots");
        if (got.at("slots").size() != slot_list.size()) {
            wrong("slots: another number");
            return;
        }
        for (std::size_t a = 0; a < slot_list.size(); ++a) {
            const json& have = got["slots"][a];
            for (const char* key : {"sample_index", "audio_index", "n_tokens", "windows",
                                    "window_tokens", "chunks"}) {
                if (slot_list[a].contains(key) && have.at(key) != slot_list[a].at(key)) {
                    wrong(std::string("slots: ") + key + ": " + have.at(key).dump());
                }
            }
            const double duration = slot_list[a].at("duration_s");
            if (std::abs(have.at("duration_s").get<double>() - duration) > 1e-3) {
                wrong("slots: duration_s: " + have.at("duration_s").dump());
            }
        }
    }

    void check_generate() {
        if (!expected_.contains("generated_ids")) {
            return;
        }
        compared_.insert("generated_padded");  // generated_ids and padding
        const json got =
            answer("generate",
                   edits_ + QStringList{QStringLiteral("--profile"),
                                        text_of(request_.at("profile").get<std::string>()),
                                        QStringLiteral("--max-new-tokens"),
                                        QString::number(request_.at("max_new_tokens").get<int>())});
        if (!problems_.isEmpty()) {
            return;
        }
        if (dtype_ != "float32") {  // its margins are one step of bfloat16: only the form
            if (got.at("texts").size() != expected_["generated_ids"].size()) {
                wrong("texts: another number");
            }
            return;
        }
        for (const char* key : {"generated_ids", "texts"}) {
            if (got.at(key) != expected_.at(key)) {
                wrong(std::string(key) + ": " + got.at(key).dump());
            }
        }
        if (expected_.contains("stopped") && got.at("finish") != expected_["stopped"]) {
            wrong("finish: " + got.at("finish").dump());
        }
    }

    std::string layers_;  ///< path of the decoder's layers
    std::filesystem::path folder_;
    QString out_;
    json request_;
    json expected_;
    std::string dtype_;
    QStringList base_;
    QStringList edits_;
    Arrays want_;
    std::vector<double> real_;
    std::set<std::string> compared_;
    QStringList problems_;
};

}  // namespace

class TestCliCases : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void case_ofTheReference_agrees_data() {
        QTest::addColumn<QString>("folder");
        for (const char* set : {"mf-tiny", "moss-tiny"}) {
            const QDir here(fixtureSet(set, "cases"));
            const QStringList cases = here.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
            QVERIFY(cases.size() >= 25);
            for (const QString& name : cases) {
                QTest::addRow("%s/%s", set, qPrintable(name)) << here.filePath(name);
            }
        }
        // Too big for the repository.
        const QDir shared(QStringLiteral(EARSCOPE_SHARED_FIXTURES));
        if (!shared.exists()) {
            qInfo("%s is not there: its cases are not run", qPrintable(shared.path()));
            return;
        }
        for (const char* name :
             {"mf-tiny/cases/batch_0_1_2", "mf-tiny/cases/contextual_layers",
              "mf-tiny/cases/full_logits", "mf-tiny/cases/grad_projected",
              "mf-tiny/cases/hook_edit_projector", "mf-tiny/cases/hook_observe",
              "mf-tiny/cases/sampled_batch", "mf-tiny/cases/zero_tail_then_windows",
              "moss-tiny/cases/batch3", "moss-tiny/cases/bf16_run", "moss-tiny/cases/grad_audio",
              "moss-tiny/cases/grad_contextual", "moss-tiny/cases/hook_observe",
              "moss-tiny/cases/short_all_alone", "moss-tiny/cases/several_chunks"}) {
            QTest::newRow(name) << shared.filePath(QLatin1String(name));
        }
    }
    void case_ofTheReference_agrees() {
        QFETCH(const QString, folder);
        QTemporaryDir out;
        QVERIFY(out.isValid());
        const QStringList problems = CaseRun(folder.toStdString(), out.path()).check();
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
    }

    void modules_ofTheFixture_areTheReferencesInOrder_data() {
        QTest::addColumn<QString>("set");
        QTest::newRow("Music Flamingo") << QStringLiteral("mf-tiny");
        QTest::newRow("MOSS-Music") << QStringLiteral("moss-tiny");
    }
    void modules_ofTheFixture_areTheReferencesInOrder() {
        QFETCH(const QString, set);
        const QByteArray name = set.toUtf8();
        const CliResult result =
            runCli({QStringLiteral("modules"), fixtureSet(name.constData(), "snapshot")});
        QCOMPARE(result.status, 0);
        const QList<QByteArray> lines = result.out.trimmed().split('\n');
        QFile file(fixtureSet(name.constData(), "named_modules.txt"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> reference = file.readAll().trimmed().split('\n');
        // trimmed() took the empty name of the first line along with its TAB.
        QCOMPARE(lines.size(), reference.size());
        for (qsizetype i = 1; i < lines.size(); ++i) {
            QCOMPARE(lines[i].split('\t').at(0), reference[i].split('\t').at(0));
            QCOMPARE(lines[i].split('\t').size(), 2);
            QVERIFY(!lines[i].split('\t').at(1).isEmpty());
        }
        QVERIFY(result.out.startsWith('\t'));
    }
};

QTEST_GUILESS_MAIN(TestCliCases)
#include "tst_cli_cases.moc"
