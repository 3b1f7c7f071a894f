/**
 * Prints the ready line. Besides the URL it contains a password grant, for harnesses other than this one: the grant
 * that they would build asks for scopes that these servers do not have.
 */
export function printReady({ port }) {
  const { BENCH_USERNAME: username, BENCH_PASSWORD: password } = process.env;
  const body = new URLSearchParams({ grant_type: 'password', username, password }).toString();
  const type = 'application/x-www-form-urlencoded';
  const url = `http://127.0.0.1:${port}`;
  console.log(JSON.stringify({ url, password: { path: '/token', type, body } }));
}
