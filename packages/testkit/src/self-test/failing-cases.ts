import type { TestRunner } from '../test-runner.ts';

/**
 * Runs the cases that `certify` registers, one after another, and returns the titles (`suite > name`) of those that
 * passed and of those that failed.
 */
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
