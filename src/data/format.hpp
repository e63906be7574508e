// The table of formats: to add one, write its file and add a line to format_table() in format.cpp.
#pragma once

#include "data/input.hpp"
#include "data/row_stream.hpp"

namespace s3gd {

using RowSink = std::function<void(const Dataset& block)>;  // takes rows block by block

// How sure a look at the (lower-case) file name without compression suffix, and at the first bytes, makes us: 0 = no,
// 1 = the last resort, 2 = the extension says so, 3 = the contents say so.
using Recognise = int(std::string_view name, std::span<const char> head);
// Formats that are streamed read from `input`; formats that are mapped open `input.name()` themselves.
using Read = Dataset(Input& input, const LoadOptions& options);
using Write = void(const Dataset& data, const std::string& path, const SaveOptions& options);
// Writes blocks of rows as they come, keeping none: for data that does not fit into memory.
using WriteBlocks = void(const std::string& path, const std::function<void(const RowSink& take)>& produce);
// Reads rows block by block, keeping none.
using ReadBlocks = void(Input& input, const LoadOptions& options, const RowStart& start);

struct Format {
  FormatInfo info;
  Recognise* recognise;
  Read* read;
  Write* write;  // null: not written
  WriteBlocks* stream = nullptr;
  ReadBlocks* stream_rows = nullptr;  // null: read() does not copy the rows into memory anyway, or has to
};

const std::vector<Format>& format_table();

// The format `path` is written in; throws when there is none.
const Format& format_for_writing(const std::string& path, const SaveOptions& options);

// What each format offers to the table.
//
// LIBSVM has no place for sample weights (writing them is refused), nor for words: classes that have names are
// written as 0, 1, .. in the order of the names. CSV holds everything.
Recognise recognise_libsvm, recognise_csv, recognise_tsv, recognise_s3d, recognise_npy, recognise_npz, recognise_idx;
Read read_libsvm, read_csv, read_tsv, read_s3d, read_npy, read_npz, read_idx;
Write write_libsvm, write_csv, write_tsv, write_s3d, write_npy, write_npz;
ReadBlocks stream_libsvm_rows, stream_csv_rows, stream_tsv_rows;
// For s3d all blocks must have the same columns and types. The file appears when `produce` has returned, or not at all.
WriteBlocks stream_libsvm, stream_s3d;

Labels read_labels_file(const std::string& path);  // a NumPy or IDX array of one dimension

}  // namespace s3gd
