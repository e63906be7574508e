// The table of commands, in the order in which help shows them.
#include "command.hpp"

namespace s3gd::app {

std::function<int()> setup_list(CLI::App& app, const Common& common);
std::function<int()> setup_data(CLI::App& app, const Common& common);

const std::vector<Command>& commands() {
  static const std::vector<Command> table{
      {"data", "Data", "known datasets: what there is, download, where it lies",
       "s3gd data list\ns3gd data get mnist\ns3gd inspect $(s3gd data path mnist)", setup_data},
      {"list", "Reference", "losses, penalties, scalings, formats with one line each", "s3gd list losses", setup_list},
  };
  return table;
}

}  // namespace s3gd::app
