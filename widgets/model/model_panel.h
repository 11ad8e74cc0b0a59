#pragma once
#include "core/bridge/values.h"

#include <QWidget>

class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace earscope {

class LoadOptionsForm;
class ModelInfoView;

/// The Model dock: chooses a snapshot, shows how loading goes, and describes what was loaded.
///
/// Takes values in and gives intentions out; it never opens a dialog for a folder or touches a
/// model itself.
class ModelPanel : public QWidget {
    Q_OBJECT
public:
    explicit ModelPanel(QWidget* parent = nullptr);

    void setDevices(const QStringList& devices);
    void setDtypes(const QStringList& dtypes);
    void setLoadOptions(const QString& device, const QString& dtype, const QString& attention,
                        const QString& chunkPadding);
    /// Snapshot folders found in the Hugging Face cache; none disables their menu.
    void setCachedSnapshots(const QStringList& folders);
    /// Without the first the demo button is disabled and says why; the second button is hidden.
    void setDemosAvailable(bool flamingo, bool moss);

    QString device() const;
    QString dtype() const;
    QString attention() const;
    QString chunkPadding() const;

    void showNoModel();
    /// The model was removed while another one is being loaded.
    void setModelGone() { has_model_ = false; }
    void showLoading(const QString& folder);
    void setProgress(const Progress& progress);
    void showModel(const ModelValue& model);
    /// Shows the failure above the choice of another model; `message` is folded until asked for.
    void showFailure(const Failure& failure);
    void showCancelled();
    bool isLoading() const;
    void focusSearch();

    /// "org/name @ 1234567" of a Hugging Face cache folder, else the last part of the path.
    static QString titleOfFolder(const QString& folder);

Q_SIGNALS:
    void openRequested();
    void snapshotChosen(const QString& folder);
    void demoRequested();
    void demoMossRequested();
    void cancelRequested();
    void closeRequested();

private:
    QWidget* buildChoicePage();
    QWidget* buildLoadingPage();
    void showPage(QWidget* page);
    void showChoice(const QString& title, const QString& detail);

    QStackedWidget* pages_;
    QWidget* choice_page_;
    QWidget* loading_page_;
    ModelInfoView* info_;

    LoadOptionsForm* options_ = nullptr;
    QLabel* choice_text_ = nullptr;
    QLabel* failure_text_ = nullptr;
    QLabel* failure_detail_ = nullptr;
    QPushButton* open_ = nullptr;
    QToolButton* cached_ = nullptr;
    QMenu* cached_menu_ = nullptr;
    QPushButton* demo_ = nullptr;
    QPushButton* demo_moss_ = nullptr;
    QPushButton* keep_ = nullptr;

    QLabel* loading_name_ = nullptr;
    QLabel* loading_text_ = nullptr;
    QProgressBar* loading_bar_ = nullptr;
    QPushButton* loading_cancel_ = nullptr;
    bool has_model_ = false;
};

}  // namespace earscope
