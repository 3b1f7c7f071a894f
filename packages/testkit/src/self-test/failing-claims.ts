import type { StorageHarness } from '../storage-harness.ts';
import type { TestRunner } from '../test-runner.ts';

/** Which of the registered claims fail, by the smallest test runner there is. */
export async function failingClaims<Connection>(
  certify: (runner: TestRunner, harness: StorageHarness<Connection>) => void,
  harness: StorageHarness<Connection>,
): Promise<{ readonly held: readonly string[]; readonly failed: readonly string[] }> {
  const tests: { readonly name: string; readonly body: () => Promise<void> }[] = [];
  let suite = '';
  certify(
    {
      describe: (name, body) => {
        suite = name;
        body();
      },
      it: (name, body) => tests.push({ name: `${suite} > ${name}`, body }),
    },
    harness,
  );
  const held: string[] = [];
  const failed: string[] = [];
  for (const { name, body } of tests) {
    const target = await body().then(
      () => held,
      () => failed,
    );
    target.push(name);
  }
  return { held, failed };
}
