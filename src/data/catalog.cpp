// The entries of the catalogue, and how they are found. First the paper's nine in its order, then the sets that stand in
// for those that are not public as the paper used them, then the others.
#include "data/catalog.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

const std::string kLibsvm = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/";
const std::string kLibsvmBinary = kLibsvm + "binary/";
const std::string kLibsvmMulticlass = kLibsvm + "multiclass/";
const std::string kMnist = "https://ossci-datasets.s3.amazonaws.com/mnist/";
const std::string kFashion = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/";
const std::string kKddCup04 = "http://osmot.cs.cornell.edu/kddcup/datasets.html";

std::vector<KnownFile> files(const std::string& train, const std::string& test = {}) {
  std::vector<KnownFile> list{{.url = train}};
  if (!test.empty()) list.push_back({.part = Part::test, .url = test});
  return list;
}

// Images and labels of the training rows, then of the test rows, as MNIST has them.
struct IdxFile {
  std::uint64_t bytes;
  std::string sha256;
};
std::vector<KnownFile> idx_files(const std::string& folder, const std::vector<IdxFile>& known) {
  std::vector<KnownFile> files;
  for (const Part part : {Part::train, Part::test})
    for (const bool labels : {false, true}) {
      const IdxFile& file = known.at(files.size());
      const std::string name = part == Part::train ? "train-" : "t10k-";
      files.push_back({part, labels, folder + name + (labels ? "labels-idx1-ubyte.gz" : "images-idx3-ubyte.gz"),
                       file.bytes, file.sha256});
    }
  return files;
}

namespace fs = std::filesystem;

constexpr std::array kExtensions{"svm.zst", "s3d",     "svm",    "svm.gz",  "svm.xz",
                                 "svm.bz2", "csv.zst", "csv.gz", "csv.bz2", "csv"};

// "KDD04_bio", "kdd04-bio" and "Kdd04Bio" are the same set.
std::string folded(std::string_view name) {
  std::string text = lower_case(name);
  std::erase_if(text, [](char c) { return c == '-' || c == '_'; });
  return text;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.size() < 200 &&
         name.find_first_of(std::string_view("/\\:?\0", 5)) == std::string::npos;
}

std::optional<std::string> existing(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return path.string();
  return std::nullopt;
}

std::optional<std::string> in_data_folder(const std::string& name, Part part) {
  const char* folder = std::getenv("S3GD_DATA");
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  const std::string stem = part == Part::train ? "train." : "test.";
  for (const char* extension : kExtensions)
    if (auto path = existing(fs::path(folder) / name / (stem + extension))) return path;
  return std::nullopt;
}

// Complete only with its companions: images without their labels are of no use.
std::optional<std::string> in_folder(const KnownDataset& entry, const fs::path& folder, Part part) {
  std::optional<std::string> found;
  for (const KnownFile& file : entry.files) {
    if (file.part != part) continue;
    const auto path = existing(folder / file.file_name());
    if (!path) return std::nullopt;
    if (!file.companion) found = path;
  }
  return found;
}

std::optional<fs::path> cache_root() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') return fs::path(cache);
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') return fs::path(home) / ".cache";
  return std::nullopt;
}

}  // namespace

const std::vector<KnownDataset>& catalog() {
  static const std::vector<KnownDataset> all{
      // the paper's
      {"20newsgroups",
       "20newsgroups",
       11314,
       7532,
       26214,
       20,
       "Usenet posts on 20 topics, tf-idf of 26,214 terms",
       "http://qwone.com/~jason/20Newsgroups/",
       "fetch 20news-bydate.tar.gz there, turn the posts into tf-idf rows and save them as LIBSVM text",
       {},
       "9430365a45abc514cea6085f20a351e7d9dfc3d3f5f8c0ac16cf65681a91d1c6",
       "fadf1e5d61f6854e3d59c8ce22644d91e215e667307d457a65bc14301516bf65"},
      {"webspam", "WebSpam", 350000, 0, 254, 2, "spam and honest web pages, unigram counts, unit rows",
       kLibsvm + "binary.html", "", files(kLibsvmBinary + "webspam_wc_normalized_unigram.svm.xz"), "", "",
       "enron-spam-unigram"},
      {"ijcnn1", "IJCNN", 49990, 91701, 22, 2, "a combustion engine's time series: misfire or not",
       kLibsvm + "binary.html", "", files(kLibsvmBinary + "ijcnn1.bz2", kLibsvmBinary + "ijcnn1.t.bz2"),
       "e3b1044ecb26d4f5914d3c6a72e4b31aba42115c3473cbb65e6325a8e32d1863",
       "114051a7073eba18b0328a098bf00392c97fafecc494e5284c6a7c3ce8fbdfbc"},
      {"kdd04-bio", "KDD04_bio", 145751, 0, 74, 2, "protein homology, KDD Cup 2004", kKddCup04,
       "fetch the KDD Cup 2004 data there; in bio_train.dat drop the two id columns, the next is the label"},
      {"kdd04-phy", "KDD04_phy", 50000, 0, 78, 2, "particle collisions, KDD Cup 2004", kKddCup04,
       "fetch the KDD Cup 2004 data there; in phy_train.dat drop the id column, the next is the label"},
      {"covtype", "covtype", 581012, 0, 54, 7, "forest cover types from maps, unscaled",
       "https://archive.ics.uci.edu/dataset/31/covertype", "", files(kLibsvmMulticlass + "covtype.bz2"), "", "",
       "covtype-93k"},
      {"cifar10", "CIFAR10", 50000, 10000, 3072, 10,
       "small colour photographs, raw pixels (the paper's 800 features are not public)",
       "https://www.cs.toronto.edu/~kriz/cifar.html", "",
       files(kLibsvmMulticlass + "cifar10.bz2", kLibsvmMulticlass + "cifar10.t.bz2"), "", "", "cifar10-hog800"},
      {"kaggle-face",
       "Kaggle-Face",
       28709,
       7178,
       2304,
       7,
       "facial expressions (fer2013), 48 x 48 grey pixels",
       "https://www.kaggle.com/c/challenges-in-representation-learning-facial-expression-recognition-challenge",
       "needs an account and consent to the rules there",
       {},
       "",
       "",
       "fer2013-hog256"},
      {"med11", "MED11", 30000, 16904, 5000, 25, "events in videos, TRECVID 2011, bags of 5,000 words",
       "https://www.nist.gov/itl/iad/mig/multimedia-event-detection",
       "given out under a licence agreement; the paper's features are not public"},
      // stand-ins
      {"covtype-93k",
       "",
       74370,
       18592,
       54,
       7,
       "covtype, a stratified sample of 16 %",
       "https://archive.ics.uci.edu/dataset/31/covertype",
       "or `s3gd data get covtype` for all of it",
       {},
       "c98eb548ac6f5655f25730bbb32adde16b176c2eabf6b6bf888a55038df56bb7",
       "0e95045e2a0158087a799a5ae52ecb79731a5ef9b31a3919f95a62226d04f57a"},
      {"cifar10-hog800",
       "",
       50000,
       10000,
       800,
       10,
       "CIFAR10 as 800 histograms of oriented gradients",
       "https://www.cs.toronto.edu/~kriz/cifar.html",
       "or `s3gd data get cifar10` for the raw pixels",
       {},
       "7f03a3746e26c5e4ac1c14071a66d03a3646670b20b540a0f062d4bffae30c13",
       "0942140d1ed9e7f12757b9526b6083d0fc676e2e2c4323198c873522f5e425d7"},
      {"fer2013-hog256",
       "",
       28709,
       7178,
       256,
       7,
       "Kaggle-Face as 256 histograms of oriented gradients",
       "https://www.kaggle.com/c/challenges-in-representation-learning-facial-expression-recognition-challenge",
       "needs an account and consent to the rules there; then the features are computed from the pixels",
       {},
       "7fd67fc34b1c8a9be4a5ebbfe945eb718ef3293a4b6c650883fb3928453634c1",
       "d64f0646e0135ccaf24d0456cf5210c986ac8b5cc023683ee2783debf9907f49"},
      {"webspam-500",
       "",
       400,
       100,
       254,
       2,
       "500 rows of WebSpam",
       kLibsvm + "binary.html",
       "or `s3gd data get webspam` for all of it",
       {},
       "6f7a16006dfd7c4be9171ec409c69d5110f604cf31a29a075aa47a489cf7fd95",
       "7089b7b6def002b7c943add10c7c408514c89ba04cd5bd30e175ce03edc253c2"},
      {"enron-spam-unigram",
       "",
       20322,
       5082,
       256,
       2,
       "byte counts of spam and honest mail, unit rows",
       "https://www2.aueb.gr/users/ion/data/enron-spam/",
       "fetch the raw mails there; a row is the 256 byte counts of a body, divided by its norm",
       {},
       "e313db9dc4d9aab19c1b391d80c4cb86abd3781b92914530a8ac8966c63e9ee6",
       "49fb528a4e892698e68f881b19d5637b6bdcd4247bed0a4c0b0156b25b5c09ac"},
      // others
      {"mnist", "", 60000, 10000, 784, 10, "handwritten digits, 28 x 28 grey pixels",
       "http://yann.lecun.com/exdb/mnist/", "",
       idx_files(kMnist, {{9912422, "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
                          {28881, "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
                          {1648877, "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
                          {4542, "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"}}),
       "2afa3d01aace62c88eef7a91288bc9480fad565a3e12e1b768a57cd16c117928",
       "29b91fbc06d0ebcef0625dc27fdf243b1e335b562f642534dcb7e552912203b3"},
      {"fashion-mnist", "", 60000, 10000, 784, 10, "clothes, 28 x 28 grey pixels; Debian package dataset-fashion-mnist",
       "https://github.com/zalandoresearch/fashion-mnist", "",
       idx_files(kFashion, {{26421880, "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
                            {29515, "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
                            {4422102, "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
                            {5148, "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"}}),
       "", "", "", "/usr/share/datasets/fashion-mnist"},
      {"a9a", "", 32561, 16281, 123, 2, "census: income above 50,000 or not, one-hot", kLibsvm + "binary.html", "",
       files(kLibsvmBinary + "a9a", kLibsvmBinary + "a9a.t"),
       "7ac7817db27616aab7f18d2815ef2963b13ee3a2d88a7d8ca0d5ffa3f9fd055b",
       "f3a05c20d5ef3887ad1e01be93d0311d25f717cd71a2c7c623a8f5b9d5ee4aee"},
      {"kddcup99-10pct",
       "",
       494021,
       311029,
       118,
       5,
       "network intrusions, mixed scales, one-hot",
       "http://kdd.ics.uci.edu/databases/kddcup99/kddcup99.html",
       "fetch kddcup.data_10_percent.gz and corrected.gz there and one-hot encode protocol, service and flag",
       {},
       "4b502b1092e4204549cfa054fddffad959597f7fd7ab489d8703eaeb3f49fa1f",
       "11c68fc45247f6f61d1b9b52fc1db6f656aecf49cb9ed15acce5f3b9a79d8541"},
      {"diabetes130",
       "",
       81413,
       20353,
       1635,
       3,
       "hospital stays: readmitted or not, one-hot",
       "https://archive.ics.uci.edu/dataset/296/diabetes+130-us+hospitals+for+years+1999-2008",
       "fetch the archive there and one-hot encode the levels that occur at least 5 times",
       {},
       "61c05ce7a095fff1a21df612102f6ffd8c374761721122f5585e2aeed56d2858",
       "574946677ca971861ee88999aeecce6c1340a9888f1edb720f385dd063f65e1d"},
      {"adbench-cover10",
       "",
       228838,
       57210,
       10,
       2,
       "covtype's classes 2 and 4, 10 quantitative columns",
       "https://archive.ics.uci.edu/dataset/31/covertype",
       "keep the classes 2 and 4 and the first 10 columns of `s3gd data get covtype`",
       {},
       "0a4c130976226bcbda0c0d8bf98e51a97eccc2ff775d4edb556aed1b20b2f0a4",
       "3366339fe90e465e9289f6fc0c6d7a5be965a303bf79eeb7f739ed52b03bb7f2"},
  };
  return all;
}

std::string KnownFile::file_name() const { return url.substr(url.rfind('/') + 1); }

const KnownDataset* find_entry(std::string_view name) {
  const std::string wanted = folded(name);
  if (wanted.empty()) return nullptr;
  for (const KnownDataset& entry : catalog())
    if (folded(entry.name) == wanted) return &entry;
  for (const KnownDataset& entry : catalog())
    if (folded(entry.paper) == wanted) return &entry;
  return nullptr;
}

std::string nearest_entry(const std::string& word) {
  std::vector<std::string> known;
  for (const KnownDataset& entry : catalog()) known.push_back(entry.name);
  return nearest(word, known);
}

void throw_not_here(const KnownDataset& entry) {
  std::string hint = entry.files.empty() ? entry.how + ": " + entry.homepage : "s3gd data get " + entry.name;
  hint += "; or set S3GD_DATA to a folder that holds " + entry.name + "/train.svm";
  if (!entry.stand_in.empty() && find_known(entry.stand_in)) hint += "; here to stand in for it: " + entry.stand_in;
  throw Error("the known dataset " + entry.name + " is not on this machine", hint);
}

std::optional<std::string> find_known(const std::string& name, Part part) {
  if (!is_plain_name(name)) return std::nullopt;
  if (auto path = in_data_folder(name, part)) return path;
  const KnownDataset* entry = find_entry(name);
  if (entry == nullptr) return std::nullopt;
  if (auto path = in_data_folder(entry->name, part)) return path;
  if (!entry->installed.empty())
    if (auto path = in_folder(*entry, entry->installed, part)) return path;
  if (const auto root = cache_root())
    if (auto path = in_folder(*entry, *root / "s3gd" / entry->name, part)) return path;
  return std::nullopt;
}

std::string cache_folder() {
  const auto root = cache_root();
  if (!root) throw Error("there is no folder to keep downloads in", "set XDG_CACHE_HOME or HOME");
  return (*root / "s3gd").string();
}

}  // namespace s3gd
