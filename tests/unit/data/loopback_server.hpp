// A small HTTP server on the loopback interface for tests: answers every request with what `respond` returns.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace s3gd {

class LoopbackServer {
 public:
  using Respond = std::function<std::string(const std::string& request)>;

  explicit LoopbackServer(Respond respond) : respond_(std::move(respond)) {
    socket_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    if (bind(socket_, raw, length) != 0 || listen(socket_, 8) != 0 || getsockname(socket_, raw, &length) != 0)
      throw std::runtime_error("no socket on the loopback interface");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~LoopbackServer() {
    shutdown(socket_, SHUT_RDWR);
    thread_.join();
    close(socket_);
  }
  std::string url(const std::string& path = "/set.svm") const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    for (int client = accept(socket_, nullptr, nullptr); client >= 0; client = accept(socket_, nullptr, nullptr)) {
      std::string request;
      char block[4096];
      while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t got = recv(client, block, sizeof block, 0);
        if (got <= 0) break;
        request.append(block, static_cast<std::size_t>(got));
      }
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      std::string answer = respond_(request);
      for (std::size_t sent = 0; sent < answer.size();) {
        const ssize_t now = send(client, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
        if (now <= 0) break;
        sent += static_cast<std::size_t>(now);
      }
      shutdown(client, SHUT_WR);
      while (recv(client, block, sizeof block, 0) > 0) {
      }
      close(client);
    }
  }

  Respond respond_;
  int socket_ = -1;
  int port_ = 0;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace s3gd
