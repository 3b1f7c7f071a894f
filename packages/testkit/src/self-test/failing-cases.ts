import type { TestRunner } from '../test-runner.ts';

/** Runs the registered claims by a minimal test runner, and says which of them hold and which fail. */
export async function failingCases<Harness>(
  certify: (runner: TestRunner, harness: Harness) => void,
  harness: Harness,
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
