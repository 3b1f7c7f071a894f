/*
 * All files share a process. One that leaves its fake timers installed must not have the next wait for ever on sockets
 * that time out by them.
 */
const clock: unknown = Reflect.get(setTimeout, 'clock');
if (typeof clock === 'object' && clock !== null && 'uninstall' in clock) {
  if (typeof clock.uninstall === 'function') clock.uninstall();
}
