// lens, attention, saliency, alternatives, scopes and patterns against the reference's golden
// values, by the rules of the fixtures' own checking tool.
#include "tests/app/cli/case_check.h"
#include "tests/app/cli/cli_process.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <fstream>

using namespace earscope;
using namespace earscope::testing;
using nlohmann::json;

namespace {

constexpr double kLogprob = 1e-3;
constexpr double kAttention = 1e-4;
constexpr double kShare = 1e-3;

QString text_of(const std::string& text) {
    return QString::fromStdString(text);
}

json read_json(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return json::parse(stream);
}

/// One list, most likely first; neighbours nearer than the bound may change places, also with the
/// ones that would follow.
struct Ranked {
    std::vector<std::int64_t> ids;
    std::vector<double> logprobs;
};

std::string ranked_difference(const Ranked& got, const Ranked& want, const Ranked& next) {
    std::map<std::int64_t, double> known;
    for (const Ranked* list : {&want, &next}) {
        for (std::size_t k = 0; k < list->ids.size(); ++k) {
            known[list->ids[k]] = list->logprobs[k];
        }
    }
    if (got.ids.size() != want.ids.size()) {
        return "another number of choices";
    }
    for (std::size_t k = 0; k < got.ids.size(); ++k) {
        if (!(std::abs(got.logprobs[k] - want.logprobs[k]) <= kLogprob)) {
            return "log-probability " + std::to_string(got.logprobs[k]) + ", expected " +
                   std::to_string(want.logprobs[k]);
        }
        const auto near = known.find(got.ids[k]);
        const bool same = got.ids[k] == want.ids[k];
        if (!same &&
            (near == known.end() || !(std::abs(near->second - want.logprobs[k]) < kLogprob))) {
            return "id " + std::to_string(got.ids[k]) + ", expected " + std::to_string(want.ids[k]);
        }
        if (k > 0 && got.logprobs[k] > got.logprobs[k - 1]) {
            return "not highest first";
        }
    }
    return {};
}

Ranked ranked_of(const json& list) {
    Ranked ranked;
    for (const json& entry : list) {
        ranked.ids.push_back(entry.at("id"));
        ranked.logprobs.push_back(entry.at("logprob"));
    }
    return ranked;
}

/// Row `row` of two [n,k] arrays.
Ranked ranked_row(const Array& ids, const Array& logprobs, std::size_t row) {
    const auto width = static_cast<std::size_t>(ids.shape.at(1));
    Ranked ranked;
    for (std::size_t k = row * width; k < (row + 1) * width; ++k) {
        ranked.ids.push_back(static_cast<std::int64_t>(ids.values.at(k)));
        ranked.logprobs.push_back(logprobs.values.at(k));
    }
    return ranked;
}

class InstrumentCase {
public:
    InstrumentCase(const std::filesystem::path& folder, const QString& out)
        : folder_(folder),
          out_(out),
          request_(read_json(folder / "request.json")),
          expected_(read_json(folder / "expected.json")),
          command_(request_.at("command")) {
        base_ << text_of((folder.parent_path().parent_path() / "snapshot").string())
              << words("--device cpu --threads 1 --request")
              << text_of((folder / "request.json").string());
    }

    QStringList check() {
        if (expected_.contains("error")) {
            check_refused();
            return problems_;
        }
        want_ = load_arrays(folder_ / "expected.safetensors");
        if (command_ == "lens") {
            check_lens();
        } else if (command_ == "attention") {
            check_attention();
        } else if (command_ == "saliency") {
            check_saliency();
        } else if (command_ == "alternatives") {
            check_alternatives();
        } else {
            check_forward();
        }
        return problems_;
    }

private:
    void wrong(const std::string& text) {
        if (!text.empty()) {
            problems_ << text_of(text);
        }
    }
    void near(const std::string& name, const json& got, const json& want, double allowed) {
        if (!got.is_number() || !(std::abs(got.get<double>() - want.get<double>()) <= allowed)) {
            wrong(name + ": " + got.dump() + ", expected " + want.dump());
        }
    }
    void equal(const std::string& name, const json& got, const json& want) {
        if (got != want) {
            wrong(name + ": " + got.dump() + ", expected " + want.dump());
        }
    }

    QStringList edits() const {
        QStringList list;
        for (std::string edit : request_.value("edit", std::vector<std::string>{})) {
            // In a case FILE is relative to its folder.
            const std::string mark = "=from:";
            if (const auto at = edit.find(mark); at != std::string::npos) {
                edit.insert(at + mark.size(), folder_.string() + "/");
            }
            list << QStringLiteral("--edit") << text_of(edit);
        }
        return list;
    }

    QStringList options() const {
        QStringList list;
        const std::map<std::string, std::string> names{{"layers", "--layers="},
                                                       {"positions", "--positions="},
                                                       {"top_k", "--top-k="},
                                                       {"heads", "--heads="},
                                                       {"token", "--token="},
                                                       {"method", "--method="},
                                                       {"continue_with", "--continue-with="}};
        for (const auto& [key, option] : names) {
            if (request_.contains(key)) {
                const json& value = request_[key];
                list << text_of(option +
                                (value.is_string() ? value.get<std::string>() : value.dump()));
            }
        }
        for (const std::string& probe : request_.value("probe", std::vector<std::string>{})) {
            list << QStringLiteral("--probe") << text_of(probe);
        }
        return list + edits();
    }

    QString file() const { return out_ + QStringLiteral("/out.safetensors"); }

    json run(const std::string& command, const QStringList& more) {
        const CliResult result = runCli(QStringList{text_of(command)} + base_ + more);
        if (result.status != 0) {
            wrong(command + " ended with " + std::to_string(result.status) + ": " +
                  result.err.toStdString());
            return json::object();
        }
        return json::parse(result.out.toStdString());
    }
    json run_to_file() {
        json answer = run(command_, options() + QStringList{QStringLiteral("--out"), file()});
        if (problems_.isEmpty()) {
            got_ = load_arrays(file().toStdString());
        }
        return answer;
    }

    void tensor(const std::string& name, double allowed, const std::vector<double>& real = {}) {
        wrong(difference(name, got_, want_.at(name), {allowed}, real));
    }
    std::vector<std::string> wanted(const std::string& prefix) const {
        std::vector<std::string> names;
        for (const auto& entry : want_) {
            if (entry.first.starts_with(prefix)) {
                names.push_back(entry.first);
            }
        }
        return names;
    }
    /// Nothing of this prefix was written that the case does not store.
    void no_more_than(const std::string& prefix) {
        for (const auto& entry : got_) {
            if (entry.first.starts_with(prefix) && !want_.contains(entry.first)) {
                wrong(entry.first + ": written and not asked for");
            }
        }
    }

    void check_refused() {
        const CliResult result = runCli(QStringList{text_of(command_)} + base_ + options() +
                                        QStringList{QStringLiteral("--out"), file()});
        if (!result.isRefusal()) {
            wrong("not refused as it must be: " + result.err.toStdString());
        }
        if (!QDir(out_).isEmpty()) {
            wrong("a refused run left a file");
        }
    }

    void check_lens() {
        run_to_file();
        tensor("lens_positions", 0);
        for (const std::string& name : wanted("lens_ids.")) {
            const std::string layer = name.substr(9);
            const std::string logprobs = "lens_logprobs." + layer;
            tensor(logprobs, kLogprob);
            if (!problems_.isEmpty() || !got_.contains(name)) {
                return wrong(got_.contains(name) ? "" : name + ": not written");
            }
            for (std::size_t row = 0; row < want_.at(name).rows(); ++row) {
                const std::string problem =
                    ranked_difference(ranked_row(got_.at(name), got_.at(logprobs), row),
                                      ranked_row(want_.at(name), want_.at(logprobs), row),
                                      ranked_row(want_.at("lens_next_ids." + layer),
                                                 want_.at("lens_next_logprobs." + layer), row));
                wrong(problem.empty() ? "" : name + "[" + std::to_string(row) + "]: " + problem);
            }
        }
    }

    void check_attention() {
        const json answer = run_to_file();
        equal("texts", answer.value("texts", json()), expected_.at("texts"));
        tensor("generated_ids", 0);
        for (const std::string& name : wanted("attention.")) {
            tensor(name, kAttention);
            if (!problems_.isEmpty()) {
                return;
            }
            for (std::size_t i = 0; i < want_.at(name).values.size(); ++i) {
                if (want_[name].values[i] == 0 && got_[name].values[i] != 0) {
                    return wrong(name + ": not exactly 0 where nothing can be seen");
                }
            }
            check_columns(name);
        }
    }

    /// attention_audio.l.a holds the columns of source a.
    void check_columns(const std::string& name) {
        const Array& all = got_.at(name);
        const auto heads = static_cast<std::size_t>(all.shape[1] * all.shape[2]);
        const auto keys = static_cast<std::size_t>(all.shape[3]);
        for (std::size_t a = 0; a < expected_.at("slots").size(); ++a) {
            const std::size_t row = expected_["slots"][a].at("sample_index");
            const Array& places = want_.at("token_positions." + std::to_string(a));
            Array columns{{all.shape[1], all.shape[2], places.shape[0]}, {}};
            for (std::size_t i = row * heads; i < (row + 1) * heads; ++i) {
                for (const double place : places.values) {
                    columns.values.push_back(
                        all.values.at(i * keys + static_cast<std::size_t>(place)));
                }
            }
            const std::string part = "attention_audio." + name.substr(10) + "." + std::to_string(a);
            wrong(difference(part, got_, columns, {0}));
        }
    }

    void check_saliency() {
        const json answer = run_to_file();
        if (!problems_.isEmpty()) {
            return;
        }
        const json& want = expected_.at("saliency");
        const bool part = want_.contains("saliency.mel_first_frames");
        const std::string name = part ? "saliency.mel_first_frames" : "saliency.mel";
        const Array& golden = want_.at(name);
        equal("shape", got_.at("saliency.mel").shape, want.at("shape"));
        if (part) {
            got_[name] = first_frames(got_.at("saliency.mel"), golden.shape);
            const auto sum = [](const Array& map) {
                double total = 0;
                for (const double value : map.values) {
                    total += std::abs(value);
                }
                return total;
            };
            equal("what no token hears", sum(got_.at("saliency.mel")), sum(got_[name]));
        }
        tensor(name, 1e-3 * golden.largest());
        double whole = 0;
        for (const double value : golden.values) {
            whole += std::abs(value);
        }
        for (const char* key : {"token", "id", "text"}) {
            equal(key, answer.at(key), want.at(key));
        }
        near("logprob", answer.at("logprob"), want.at("logprob"), kLogprob);
        near("sum", answer.at("sum"), want.at("sum"), 1e-3 * whole);
        equal("logprob_silence is there", answer.contains("logprob_silence"),
              want.contains("logprob_silence"));
        if (want.contains("logprob_silence")) {
            near("logprob_silence", answer.at("logprob_silence"), want["logprob_silence"],
                 kLogprob);
        }
        for (std::size_t a = 0; a < want.at("share").size(); ++a) {
            near("share", answer.at("share").at(a), want["share"][a], kShare);
        }
    }

    void check_alternatives() {
        const json answer = run(command_, options());
        const json& want = expected_.at("alternatives");
        equal("texts", answer.value("texts", json()), want.at("texts"));
        equal("finish", answer.value("finish", json()), want.at("finish"));
        for (std::size_t b = 0; problems_.isEmpty() && b < want.at("tokens").size(); ++b) {
            equal("tokens", answer.at("tokens").at(b).size(), want["tokens"][b].size());
            for (std::size_t g = 0; problems_.isEmpty() && g < want["tokens"][b].size(); ++g) {
                check_token(answer["tokens"][b][g], want["tokens"][b][g]);
            }
        }
    }
    void check_token(const json& got, const json& want) {
        equal("id", got.at("id"), want.at("id"));
        equal("text", got.at("text"), want.at("text"));
        near("logprob", got.at("logprob"), want.at("logprob"), kLogprob);
        near("entropy", got.at("entropy"), want.at("entropy"), kLogprob);
        wrong(ranked_difference(ranked_of(got.at("top")), ranked_of(want.at("top")),
                                ranked_of(want.at("next"))));
    }

    void check_forward() {
        run_to_file();
        const std::vector<double>& real = want_.at("attention_mask").values;
        for (const auto& [name, array] : want_) {
            if (name.starts_with("hidden.") || name == "logits" || name.starts_with("probe.")) {
                tensor(name, 1e-4 * array.largest(),
                       name.starts_with("hidden.") ? real : std::vector<double>{});
            }
        }
        no_more_than("probe.");
        no_more_than("hidden.");
        if (expected_.contains("generated_ids")) {
            const json answer = run(
                "generate",
                edits() + QStringList{QStringLiteral("--max-new-tokens"),
                                      QString::number(request_.at("max_new_tokens").get<int>())});
            equal("generated_ids", answer.value("generated_ids", json()),
                  expected_["generated_ids"]);
            equal("texts", answer.value("texts", json()), expected_["texts"]);
        }
    }

    std::filesystem::path folder_;
    QString out_;
    json request_;
    json expected_;
    std::string command_;
    QStringList base_;
    Arrays want_;
    Arrays got_;
    QStringList problems_;
};

}  // namespace

class TestCliInstruments : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void case_ofTheReference_agrees_data() {
        QTest::addColumn<QString>("folder");
        const auto add = [](const QString& root, const char* set, int least) {
            const QDir here(root + QLatin1Char('/') + QLatin1String(set) +
                            QStringLiteral("/instruments"));
            const QStringList cases = here.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
            QVERIFY(cases.size() >= least);
            for (const QString& name : cases) {
                if (!name.startsWith(QLatin1String("noise"))) {  // no golden values; tst_scopes
                    QTest::addRow("%s/%s", set, qPrintable(name)) << here.filePath(name);
                }
            }
        };
        const QString shared = QStringLiteral(EARSCOPE_SHARED_FIXTURES);
        const bool whole = QDir(shared).exists();
        if (!whole) {
            qInfo("%s is not there: only the cases of the project are run", qPrintable(shared));
        }
        for (const char* set : {"mf-tiny", "moss-tiny"}) {
            add(whole ? shared : QStringLiteral(EARSCOPE_FIXTURES), set, whole ? 36 : 7);
        }
    }
    void case_ofTheReference_agrees() {
        QFETCH(const QString, folder);
        const QTemporaryDir out;
        QVERIFY(out.isValid());
        const QStringList problems = InstrumentCase(folder.toStdString(), out.path()).check();
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(QLatin1Char('\n'))));
    }

    void wrongUse_endsWithStatus2_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* line, const char* says) {
            QTest::newRow(line) << QByteArray(line) << QByteArray(says);
        };
        row("lens $S --prompt x --positions first", "audio, last or all");
        row("lens $S --prompt x --top-k many", "whole number");
        row("lens $S --prompt x --layers one", "--layers one");
        row("attention $S --prompt x --out a.npz --heads 1,", "--heads");
        row("attention $S --prompt x", "--out");
        row("attention $S --prompt x --out a.npz --rows 3-9", "expected P0:P1");
        row("saliency $S --prompt x --method slope", "gradient_x_input");
        row("saliency $S --prompt x --method integrated:0", "integrated:STEPS");
        row("alternatives $S --prompt x --continue-with 3", "G:ID");
        row("alternatives $S --prompt x --continue-with a:b", "G:ID");
        row("forward $S --prompt x --out a.npz --probe lm_head@first", "range:A:T0:T1");
        row("generate $S --prompt x --edit lm_head=from:file", "from:FILE#TENSOR");
    }
    void wrongUse_endsWithStatus2() {
        QFETCH(const QByteArray, line);
        QFETCH(const QByteArray, says);
        QStringList arguments = words(line.constData());
        arguments.replaceInStrings(QStringLiteral("$S"), fixture("snapshot"));
        const CliResult result = runCli(arguments);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains(says), result.err.constData());
        QVERIFY(result.out.isEmpty());
    }

    void refused_endsWithStatus3_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* line, const char* says) {
            QTest::newRow(line) << QByteArray(line) << QByteArray(says);
        };
        row("lens $S --prompt x --layers 5", "layers 0 to 4");
        row("lens $S --prompt x --top-k 0", "top-k is 0");
        row("attention $S --prompt x --out $D/a.npz --layers 4", "layers 0 to 3");
        row("attention $S --prompt x --out $D/a.npz --heads 99", "no head 99");
        row("attention $S --prompt x --out $D/a.npz --rows 3:999", "the second number is at most");
        row("attention $S --prompt x --out $D/a.npz --rows 9:3", "greater than the first");
        row("saliency $S --prompt x --max-new-tokens 2", "needs audio");
        row("alternatives $S --prompt x --max-new-tokens 2 --continue-with 2:5", "no token 2");
        row("alternatives $S --prompt x --max-new-tokens 2 --continue-with 0:999999", "999999");
        row("forward $S --prompt x --out $D/a.npz --probe layers:0@generated", "generates nothing");
        row("forward $S --prompt x --out $D/a.npz --edit layers:0=from:$D/no.safetensors#a", "no.");
    }
    void refused_endsWithStatus3() {
        QFETCH(const QByteArray, line);
        QFETCH(const QByteArray, says);
        const QTemporaryDir folder;
        QStringList arguments = words(line.constData());
        arguments.replaceInStrings(QStringLiteral("$S"), fixture("snapshot"));
        arguments.replaceInStrings(QStringLiteral("$D"), folder.path());
        const CliResult result = runCli(arguments);
        QVERIFY2(result.isRefusal(), result.err.constData());
        QVERIFY2(result.err.contains(says), result.err.constData());
        QVERIFY(QDir(folder.path()).isEmpty());
    }

    void lens_withoutFile_printsWhatEachLayerSays() {
        const CliResult result =
            runCli(words("lens") + QStringList{fixture("snapshot")} +
                   words("--prompt Hm? --layers 0,-1 --top-k 2 --device cpu --threads 1 --audio") +
                   QStringList{fixture("audio/float16k.wav")});
        QCOMPARE(result.status, 0);
        const json positions = json::parse(result.out.toStdString()).at("positions");
        QCOMPARE(positions.size(), std::size_t{23});
        QCOMPARE(positions[1].at("source").get<int>(), 0);
        QVERIFY(std::abs(positions[1].at("time_s").get<double>() - 0.04) < 1e-6);
        QCOMPARE(positions[1].at("layers").at("-1").size(), std::size_t{2});
        QVERIFY(positions[1]["layers"]["0"][0].contains("text"));
    }
};

QTEST_GUILESS_MAIN(TestCliInstruments)
#include "tst_cli_instruments.moc"
