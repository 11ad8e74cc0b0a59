#include "widgets/look/saliency_page.h"

#include "widgets/look/heatmap_panel.h"
#include "widgets/look/twin_view.h"
#include "widgets/look/word_list.h"
#include "widgets/model/display_text.h"
#include "widgets/tokens/token_table_model.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace earscope {
namespace {

constexpr double kLongSeconds = 60;  // of sound, and of waiting
constexpr qint64 kManyBytes = 8'000'000'000;

QString durationText(double seconds) {
    const QLocale locale;
    if (seconds < 120) {
        const int digits = seconds < 1 ? 2 : seconds < 10 ? 1 : 0;
        return SaliencyPage::tr("%1 s").arg(locale.toString(seconds, 'f', digits));
    }
    return SaliencyPage::tr("%1 min").arg(locale.toString(seconds / 60, 'f', 0));
}

int stepsOf(const QString& method) {
    const QString prefix = QStringLiteral("integrated:");
    return method.startsWith(prefix) ? method.mid(prefix.size()).toInt() : 0;
}

}  // namespace

SaliencyRunCost saliencyRunCost(const QString& method, const PassEstimate& pass) {
    const int steps = stepsOf(method);
    if (steps == 0) {
        return {1, pass.seconds, pass.bytes};
    }
    // Both ends of the way are forward passes alone.
    return {steps + 2, steps * pass.seconds + 2 * pass.forwardSeconds, pass.bytes};
}

HeatmapPointer saliencyMap(const SaliencyValue& value, int source) {
    Heatmap map;
    map.values = value.maps[static_cast<std::size_t>(source)];
    map.valueName = SaliencyPage::tr("saliency (%1)").arg(saliencyMethodName(value.method));
    map.rows.title = SaliencyPage::tr("mel bin");
    map.columns.title = SaliencyPage::tr("mel frame (10 ms)");
    map.firstRowAtBottom = true;
    return finished(std::move(map));
}

QString saliencyMethodName(const QString& method) {
    if (method == QLatin1String("gradient_x_input")) {
        return SaliencyPage::tr("gradient × input");
    }
    const QString integrated = QStringLiteral("integrated:");
    if (method.startsWith(integrated)) {
        return SaliencyPage::tr("integrated gradients, %1 steps")
            .arg(method.mid(integrated.size()));
    }
    return SaliencyPage::tr("gradient");
}

SaliencyPage::SaliencyPage(QWidget* parent)
    : LookPage(tr("Compute saliency"),
               tr("Shows on which parts of the mel the log-probability of one word of the answer "
                  "hangs."),
               parent) {
    method_ = new QComboBox(this);
    method_->setObjectName(QStringLiteral("saliencyMethod"));
    method_->addItem(tr("gradient"), QStringLiteral("gradient"));
    method_->addItem(tr("gradient × input"), QStringLiteral("gradient_x_input"));
    method_->addItem(tr("integrated gradients"), QStringLiteral("integrated"));
    steps_ = new QSpinBox(this);
    steps_->setObjectName(QStringLiteral("saliencySteps"));
    steps_->setAccessibleName(tr("Steps of integrated gradients"));
    steps_->setRange(1, 1024);
    steps_->setValue(32);
    steps_->setSuffix(tr(" steps"));
    steps_->setToolTip(tr("More steps bring the sum nearer to the difference of the outputs."));
    steps_->setVisible(false);
    token_ = new QSpinBox(this);
    token_->setObjectName(QStringLiteral("saliencyToken"));
    token_->setRange(0, 16'383);
    token_->setToolTip(tr("Token of the answer, counted from 0."));
    addSetting(tr("&Method:"), method_);
    addTool(steps_);
    addSetting(tr("&Token:"), token_);
    measure_ = new QPushButton(tr("Measure cost"), this);
    measure_->setObjectName(QStringLiteral("saliencyMeasure"));
    measure_->setToolTip(tr("Runs one pass, or its first part, to tell time and memory."));
    measure_->hide();
    addTool(measure_);
    connect(measure_, &QPushButton::clicked, this, &SaliencyPage::measureRequested);
    setContent(buildContent());
    connect(method_, &QComboBox::currentIndexChanged, this, [this] {
        steps_->setVisible(method_->currentData().toString() == QLatin1String("integrated"));
        refreshEstimate();
    });
    connect(steps_, &QSpinBox::valueChanged, this, &SaliencyPage::refreshEstimate);
    connect(token_, &QSpinBox::valueChanged, this, [this](int token) { words_->choose(token); });
    connect(words_, &WordList::chosenChanged, this, [this] {
        if (!words_->chosen().empty()) {
            token_->setValue(words_->chosen().front());
        }
    });
}

QWidget* SaliencyPage::buildContent() {
    words_ = new WordList(this);
    words_->setObjectName(QStringLiteral("saliencyWords"));
    words_->setSelectionMode(QAbstractItemView::SingleSelection);
    words_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
    words_->hide();
    addHeader(words_);
    auto* content = new QWidget(this);
    facts_ = new QLabel(content);
    facts_->setObjectName(QStringLiteral("saliencyFacts"));
    facts_->setWordWrap(true);
    facts_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    shares_ = makeTable(content, QStringLiteral("saliencyShares"),
                        {tr("source"), tr("share"), tr("sum"), tr("largest at")});
    shares_->setAccessibleName(tr("Share of each source"));
    shares_->horizontalHeader()->setStretchLastSection(false);
    source_ = new QComboBox(content);
    source_->setObjectName(QStringLiteral("saliencySource"));
    source_->setAccessibleName(tr("Source shown"));
    panel_ = new HeatmapPanel(content);
    auto* side = new QWidget(content);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(facts_);
    column->addWidget(shares_, 1);
    auto* picture = new QWidget(content);
    auto* right = new QVBoxLayout(picture);
    right->setContentsMargins(0, 0, 0, 0);
    right->addWidget(source_, 0, Qt::AlignLeft);
    right->addWidget(panel_, 1);
    auto* split = new QSplitter(Qt::Horizontal, content);
    split->setChildrenCollapsible(false);
    split->addWidget(side);
    split->addWidget(picture);
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 3);
    split->setSizes({400, 600});  // shares: by itself the table would be cut off
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(split);
    connect(source_, &QComboBox::currentIndexChanged, this, &SaliencyPage::showMap);
    connect(shares_, &QTableWidget::itemSelectionChanged, this,
            [this] { source_->setCurrentIndex(std::max(0, shares_->currentRow())); });
    return content;
}

void SaliencyPage::setSizes(int promptTokens, double seconds) {
    prompt_tokens_ = promptTokens;
    seconds_ = seconds;
    refreshEstimate();
}

void SaliencyPage::setPass(const std::optional<PassEstimate>& pass) {
    pass_ = pass;
    refreshEstimate();
}

void SaliencyPage::setMeasuring(bool measuring) {
    measuring_ = measuring;
    refreshEstimate();
}

void SaliencyPage::setAnswer(const std::vector<TokenValue>& tokens) {
    const int before = token_->value();
    words_->setVisible(!tokens.empty());
    words_->setTokens(tokens);
    token_->setMaximum(tokens.empty() ? 16'383 : static_cast<int>(tokens.size()) - 1);
    words_->choose(std::min(before, token_->maximum()));
}

int SaliencyPage::token() const {
    return token_->value();
}

QString SaliencyPage::method() const {
    const QString method = method_->currentData().toString();
    return method == QLatin1String("integrated")
               ? QStringLiteral("integrated:%1").arg(steps_->value())
               : method;
}

void SaliencyPage::refreshEstimate() {
    measure_->setVisible(prompt_tokens_ > 0 && !pass_ && !measuring_);
    if (prompt_tokens_ == 0) {
        setEstimate({});
        return;
    }
    const PassEstimate pass = pass_.value_or(PassEstimate());
    if (!pass.problem.isEmpty()) {
        setEstimate(pass.problem, true);
        return;
    }
    const QLocale locale;
    const SaliencyRunCost cost = saliencyRunCost(method(), pass);
    const QString passes =
        cost.passes == 1 ? tr("one pass") : tr("%1 passes").arg(locale.toString(cost.passes));
    QString text = tr("An answer, then %1 forward and backward over %2 positions")
                       .arg(passes, locale.toString(prompt_tokens_));
    if (pass_) {
        text += tr(": about %1, %2 beside the weights.")
                    .arg(durationText(cost.seconds), compactBytes(cost.bytes));
    } else {
        text += measuring_ ? tr("; time and memory are being measured…") : tr(".");
    }
    const bool is_long = seconds_ > kLongSeconds;
    if (is_long || cost.seconds > kLongSeconds || cost.bytes > kManyBytes) {
        text += QLatin1Char(' ') +
                (is_long ? tr("%1 s of sound is long for this: shorter sources or plain gradient "
                              "cost less.")
                               .arg(locale.toString(seconds_, 'f', 0))
                         : tr("Shorter sources or plain gradient cost less."));
        setEstimate(text, true);
        return;
    }
    setEstimate(text);
}

void SaliencyPage::setSaliency(SaliencyPointer saliency) {
    saliency_ = std::move(saliency);
    if (!saliency_) {
        clearResult();
        Q_EMIT overlayChanged();
        return;
    }
    const QLocale locale;
    std::vector<QStringList> rows;
    for (std::size_t i = 0; i < saliency_->maps.size(); ++i) {
        const auto of = [i](const std::vector<double>& list) {
            return i < list.size() ? list[i] : 0;
        };
        rows.push_back({tr("%1: %2").arg(QString::number(i + 1), names_.value(static_cast<int>(i))),
                        tr("%1 %").arg(locale.toString(100 * of(saliency_->share), 'f', 1)),
                        numberText(of(saliency_->sums)),
                        tr("%1 s").arg(locale.toString(of(saliency_->largestAt), 'f', 2))});
    }
    facts_->setText(sumText());
    {
        const QSignalBlocker block_source(source_);
        const QSignalBlocker block_shares(shares_);
        fillTable(*shares_, rows);
        const int before = std::max(0, source_->currentIndex());
        source_->clear();
        for (const QStringList& row : rows) {
            source_->addItem(row.front());
        }
        source_->setCurrentIndex(std::min(before, source_->count() - 1));
    }
    showResult(saliency_->edits);
    showMap();
    Q_EMIT overlayChanged();
}

QString SaliencyPage::sumText() const {
    const QLocale locale;
    QString text = tr("Token %1 “%2”: log-probability %3. Method: %4.")
                       .arg(QString::number(saliency_->token), readablePiece(saliency_->piece),
                            locale.toString(saliency_->logProbability, 'f', 4),
                            saliencyMethodName(saliency_->method));
    if (saliency_->method.startsWith(QLatin1String("integrated"))) {
        text += QLatin1Char(' ') +
                tr("The map sums to %1; sound minus silence is %2 − (%3) = %4. The nearer the two, "
                   "the better the steps.")
                    .arg(locale.toString(saliency_->sum, 'f', 4),
                         locale.toString(saliency_->logProbability, 'f', 4),
                         locale.toString(saliency_->logProbabilitySilence, 'f', 4),
                         locale.toString(
                             saliency_->logProbability - saliency_->logProbabilitySilence, 'f', 4));
    } else {
        text += QLatin1Char(' ') + tr("The map sums to %1.").arg(numberText(saliency_->sum));
    }
    text += QLatin1Char(' ') + tr("Shares are of the sum of absolute values.");
    return text;
}

void SaliencyPage::showMap() {
    const int source = source_->currentIndex();
    if (!saliency_ || source < 0) {
        panel_->setMap(nullptr);
        return;
    }
    panel_->setPreparing();
    Q_EMIT mapWanted(source);
}

void SaliencyPage::setMap(const SaliencyPointer& of, int source, const HeatmapPointer& map) {
    if (of == saliency_ && source == source_->currentIndex()) {
        panel_->setMap(map);
    }
}

QString SaliencyPage::factsText() const {
    return facts_->text();
}

}  // namespace earscope
