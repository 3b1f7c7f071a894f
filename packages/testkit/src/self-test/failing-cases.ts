import type { TestRunner } from '../test-runner.ts';

/** Runs the registered test cases by a minimal test runner, and returns the titles of those that passed and failed. */
export async function failingCases<Harness>(
  certify: (runner: TestRunner, harness: Harness) => void,
  harness: Harness,
): Promise<{ readonly passed: readonly string[]; readonly failed: readonly string[] }> {
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
  const passed: string[] = [];
  const failed: string[] = [];
  for (const { name, body } of tests) {
    const target = await body().then(
      () => passed,
      () => failed,
    );
    target.push(name);
  }
  return { passed, failed };
}
