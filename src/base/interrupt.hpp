// Ctrl-C: long loops ask interrupted() now and then and stop with what they have. A second Ctrl-C kills at once.
#pragma once

namespace s3gd {

void catch_interrupts();  // installs the SIGINT and SIGTERM handler; the program calls it, the library never does
bool interrupted();
void request_interrupt(bool on = true);

}  // namespace s3gd
