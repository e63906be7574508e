// The table of commands, in the order in which help shows them.
#include "command.hpp"

namespace s3gd::app {

Setup setup_train, setup_predict, setup_path, setup_cv, setup_compare, setup_export, setup_graph, setup_reproduce,
    setup_inspect, setup_convert, setup_report, setup_list, setup_data;

const std::vector<Command>& commands() {
  static const std::vector<Command> table{
      {"train", "Fit", "fits a model; prints status, objective, certificate, timing",
       "s3gd train a9a -o a9a.model\ns3gd train data.csv --label-column price --loss squared -o price.model\n"
       "s3gd train mnist --paper --step 1 --iterations 40000 --trace trace.csv",
       setup_train},
      {"predict", "Fit", "labels, probabilities or margins; with labels present, metrics",
       "s3gd predict a9a.model test.svm\ns3gd predict a9a.model new.svm --proba -o probabilities.txt\n"
       "zcat huge.svm.gz | s3gd predict a9a.model - -o - | sort | uniq -c",
       setup_predict},
      {"path", "Fit", "fits at many lambdas, from strong to weak, each from the last",
       "s3gd path a9a --penalty l1 --report path.html\n"
       "s3gd path data.csv --loss squared --penalty l1 --ratio 1e-3 -o weak.model\n"
       "s3gd path a9a --penalty l1 --lambda 0.1,0.01,0.001 --json",
       setup_path},
      {"cv", "Fit", "chooses lambda by cross-validation over a path, and fits with it",
       "s3gd cv a9a --penalty l1 -o a9a.model --report cv.html\n"
       "s3gd cv data.csv --loss squared --folds 10 --choose 1se -o price.model",
       setup_cv},
      {"export", "Fit", "a model for LIBLINEAR, ONNX, Vowpal Wabbit, or as JSON or C source",
       "s3gd export a9a.model --format onnx -o a9a.onnx\ns3gd export spam.model --format c -o spam.c", setup_export},
      {"graph", "Fit", "builds and saves an anchor graph, for train --graph",
       "s3gd graph mnist -o mnist.graph\ns3gd train mnist --solver s3gd --graph mnist.graph --binary largest",
       setup_graph},
      {"compare", "Compare", "solvers x steps x trials by the paper's protocol: who is first",
       "s3gd compare a9a -o a9a-compared\ns3gd compare my.csv --quick --solver auto\n"
       "s3gd compare mnist --solvers sgd,s3gd --solver s3gd:anchors=20 --steps 1,5",
       setup_compare},
      {"reproduce", "Compare", "the tables and figures of the paper: claims and what was measured",
       "s3gd reproduce --list\ns3gd reproduce --quick -o reproduction\ns3gd reproduce steps verdict -o reproduction",
       setup_reproduce},
      {"inspect", "Data", "what is in a dataset or a model, and what to look out for",
       "s3gd inspect train.svm.gz\ns3gd inspect 'gen:manifold?rows=1000&cols=20' --json\n"
       "s3gd inspect a9a.model --top 20",
       setup_inspect},
      {"convert", "Data", "from any format to any other, scaled or split on the way",
       "s3gd convert train.csv train.s3d --label-column -1\n"
       "s3gd convert all.svm train.s3d --split 0.2 --split-out test.s3d",
       setup_convert},
      {"data", "Data", "known datasets: what there is, download, where it lies",
       "s3gd data list\ns3gd data get mnist\ns3gd inspect mnist", setup_data},
      {"report", "Compare", "page and pictures of a comparison from its run.json",
       "s3gd report results -o results.html\ns3gd report results/run.json --figures figures", setup_report},
      {"list", "Reference", "losses, options, formats, generators, .. with one line each",
       "s3gd list losses\ns3gd list options step", setup_list},
  };
  return table;
}

std::vector<std::string> command_names() {
  std::vector<std::string> list;
  for (const Command& command : commands()) list.push_back(command.name);
  return list;
}

}  // namespace s3gd::app
