/*
 * All test files share a process. If a file has left its fake timers installed, sockets of the next file would never
 * time out.
 */
const clock: unknown = Reflect.get(setTimeout, 'clock');
if (typeof clock === 'object' && clock !== null && 'uninstall' in clock) {
  if (typeof clock.uninstall === 'function') clock.uninstall();
}
