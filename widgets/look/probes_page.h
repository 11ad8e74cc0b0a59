#pragma once
#include "core/bridge/instrument_values.h"
#include "widgets/look/heatmap.h"
#include "widgets/look/look_page.h"

#include <memory>

class QCheckBox;
class QTableWidget;

namespace earscope {

class CursorModel;
class HeatmapPanel;
class ProbeForm;

using ProbesPointer = std::shared_ptr<const ProbesValue>;

/// The capture as a map: a row per dimension, a column per row of the tensor. `prompt` names the
/// positions where the capture has some.
HeatmapPointer captureMap(const ProbeCapture& capture, const TokenList& prompt);

/// Probes and edits: set here, they are listed with what they kept. The edits are in force in all
/// instruments.
class ProbesPage : public LookPage {
    Q_OBJECT
public:
    explicit ProbesPage(QWidget* parent = nullptr);

    void setCursorModel(CursorModel* cursor);
    void setModules(const QStringList& names);
    void setSources(int count);
    void setTokens(TokenList tokens) { tokens_ = std::move(tokens); }
    QStringList probes() const { return probes_; }
    QStringList edits() const { return edits_; }
    bool statisticsOnly() const;
    /// A probe on all positions of a module, or none any more if there is one.
    void toggleProbe(const QString& module);
    void setProbes(const QStringList& probes, const QStringList& edits);
    void setProbeEstimate(const ProbeEstimate& estimate);

    void setProbed(ProbesPointer probed);
    HeatmapPanel* panel() const { return panel_; }
    ProbeForm* form() const { return form_; }

Q_SIGNALS:
    /// Probes or how they are kept changed: the estimate is out of date.
    void probesChanged();
    void editsChanged();
    /// The map of this capture is wanted; `setCaptureMap` gives it.
    void captureWanted(int capture);

public Q_SLOTS:
    void setCaptureMap(int capture, const earscope::HeatmapPointer& map);

private:
    QWidget* buildSetting();
    QWidget* buildContent();
    void add();
    void removeChosen();
    void fillList();
    void refreshProblem();
    void chooseCapture();

    ProbeForm* form_ = nullptr;
    QTableWidget* list_ = nullptr;
    QCheckBox* statistics_ = nullptr;
    QTableWidget* results_ = nullptr;
    HeatmapPanel* panel_ = nullptr;
    QLabel* note_ = nullptr;
    QStringList probes_;
    QStringList edits_;
    TokenList tokens_;
    ProbesPointer probed_;
};

}  // namespace earscope
