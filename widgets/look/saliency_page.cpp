#include "widgets/look/saliency_page.h"

#include "widgets/look/heatmap_panel.h"
#include "widgets/look/twin_view.h"
#include "widgets/look/word_list.h"
#include "widgets/tokens/token_table_model.h"

#include <QComboBox>
#include <QLabel>
#include <QLocale>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

constexpr double kLongSeconds = 60;
constexpr double kManyGigabytes = 8;
constexpr double kSecondsPerFrame = 0.01;
/// Tensors of the layer's width that a block keeps for its backward pass, feed-forward included.
constexpr double kKeptPerBlock = 16;
/// Blocks and frames per second of the audio encoder.
constexpr double kEncoderBlocks = 32;
constexpr double kEncoderRate = 50;

}  // namespace

SaliencyCost saliencyCost(const QString& method, int promptTokens, double seconds, int layers,
                          int hiddenSize, int audioWidth) {
    SaliencyCost cost;
    const QString prefix = QStringLiteral("integrated:");
    cost.passes = method.startsWith(prefix) ? method.mid(prefix.size()).toInt() : 1;
    const double decoder = static_cast<double>(layers) * promptTokens * hiddenSize;
    // Small models have few encoder blocks; an encoder of 1280 is Whisper large.
    const double blocks = audioWidth >= 1280 ? kEncoderBlocks : 4;
    const double encoder = blocks * seconds * kEncoderRate * audioWidth;
    cost.gigabytes = kKeptPerBlock * 4 * (decoder + encoder) / 1e9;
    return cost;
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
    words_->setMaximumHeight(3 * (fontMetrics().height() + 6));
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
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(split);
    connect(source_, &QComboBox::currentIndexChanged, this, &SaliencyPage::showMap);
    connect(shares_, &QTableWidget::itemSelectionChanged, this,
            [this] { source_->setCurrentIndex(std::max(0, shares_->currentRow())); });
    return content;
}

void SaliencyPage::setSizes(int promptTokens, double seconds, int layers, int hiddenSize,
                            int audioWidth) {
    prompt_tokens_ = promptTokens;
    seconds_ = seconds;
    layers_ = layers;
    hidden_size_ = hiddenSize;
    audio_width_ = audioWidth;
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
    if (prompt_tokens_ == 0) {
        setEstimate({});
        return;
    }
    const SaliencyCost cost =
        saliencyCost(method(), prompt_tokens_, seconds_, layers_, hidden_size_, audio_width_);
    const QLocale locale;
    const bool is_long = seconds_ > kLongSeconds || cost.gigabytes > kManyGigabytes;
    const QString passes =
        cost.passes == 1 ? tr("one pass") : tr("%1 passes").arg(locale.toString(cost.passes));
    QString text =
        tr("An answer, then %1 forward and backward over %2 positions; about %3 GB of "
           "activations.")
            .arg(passes, locale.toString(prompt_tokens_), locale.toString(cost.gigabytes, 'g', 2));
    if (is_long) {
        text += QLatin1Char(' ') +
                tr("%1 s of sound is long for this: shorter sources or plain gradient cost less.")
                    .arg(locale.toString(seconds_, 'f', 0));
    }
    setEstimate(text, is_long);
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
        const TensorValue& map = saliency_->maps[i];
        double sum = 0;
        std::size_t largest = 0;
        for (std::size_t k = 0; !map.isEmpty() && k < map.data->size(); ++k) {
            sum += static_cast<double>((*map.data)[k]);
            largest = std::abs((*map.data)[k]) > std::abs((*map.data)[largest]) ? k : largest;
        }
        const auto frames = static_cast<std::size_t>(std::max<qint64>(1, map.columns()));
        rows.push_back({tr("%1: %2").arg(QString::number(i + 1), names_.value(static_cast<int>(i))),
                        tr("%1 %").arg(locale.toString(
                            100 * (i < saliency_->share.size() ? saliency_->share[i] : 0), 'f', 1)),
                        numberText(sum),
                        tr("%1 s").arg(locale.toString(
                            static_cast<double>(largest % frames) * kSecondsPerFrame, 'f', 2))});
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
    Heatmap map;
    map.values = saliency_->maps[static_cast<std::size_t>(source)];
    map.valueName = tr("saliency (%1)").arg(saliencyMethodName(saliency_->method));
    map.rows.title = tr("mel bin");
    map.columns.title = tr("mel frame (10 ms)");
    map.firstRowAtBottom = true;
    panel_->setMap(finished(std::move(map)));
}

QString SaliencyPage::factsText() const {
    return facts_->text();
}

}  // namespace earscope
