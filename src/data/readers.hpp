// What each format's file offers to the table in format.cpp: recognise, read and (where it can be written) write.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "data/input.hpp"
#include "data/row_stream.hpp"
#include "s3gd/dataset.hpp"

namespace s3gd {

using RowSink = std::function<void(const Dataset& block)>;  // takes rows block by block

// LIBSVM has no place for sample weights (writing them is refused), nor for words: classes that have names are
// written as 0, 1, .. in the order of the names. CSV holds everything.
int recognise_libsvm(std::string_view name, std::span<const char> head);
Dataset read_libsvm(Input& input, const LoadOptions& options);
void write_libsvm(const Dataset& data, const std::string& path, const SaveOptions& options);
void stream_libsvm_rows(Input& input, const LoadOptions& options, const RowStart& start);
void stream_libsvm(const std::string& path, const std::function<void(const RowSink& take)>& produce);

int recognise_csv(std::string_view name, std::span<const char> head);
Dataset read_csv(Input& input, const LoadOptions& options);
void stream_csv_rows(Input& input, const LoadOptions& options, const RowStart& start);
void write_csv(const Dataset& data, const std::string& path, const SaveOptions& options);

int recognise_tsv(std::string_view name, std::span<const char> head);
Dataset read_tsv(Input& input, const LoadOptions& options);
void stream_tsv_rows(Input& input, const LoadOptions& options, const RowStart& start);
void write_tsv(const Dataset& data, const std::string& path, const SaveOptions& options);

int recognise_s3d(std::string_view name, std::span<const char> head);
Dataset read_s3d(Input& input, const LoadOptions& options);
void write_s3d(const Dataset& data, const std::string& path, const SaveOptions& options);
// All blocks must have the same columns and types. The file appears when `produce` has returned, or not at all.
void stream_s3d(const std::string& path, const std::function<void(const RowSink& take)>& produce);

int recognise_npy(std::string_view name, std::span<const char> head);
Dataset read_npy(Input& input, const LoadOptions& options);
void write_npy(const Dataset& data, const std::string& path, const SaveOptions& options);

int recognise_npz(std::string_view name, std::span<const char> head);
Dataset read_npz(Input& input, const LoadOptions& options);
void write_npz(const Dataset& data, const std::string& path, const SaveOptions& options);

int recognise_idx(std::string_view name, std::span<const char> head);
Dataset read_idx(Input& input, const LoadOptions& options);

// Labels that stand in a file of their own: a NumPy or IDX array of one dimension.
Labels read_labels_file(const std::string& path);

// The binary formats are written as they are: throws when the name ends in .gz, .bz2, .xz or .zst.
void refuse_compression(const std::string& path, const std::string& format);

}  // namespace s3gd
