/** A login or a challenge when its turn has come: it grew older while it waited for the lock. */
export function olderBy<Login extends { readonly authenticationMs: number }>(
  waitedMs: number,
  login: Login,
): Login {
  return { ...login, authenticationMs: login.authenticationMs + waitedMs };
}
