import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends the output with one plain line, `12 passed, 0 failed`, for readers that do not know vitest.
 *
 * A file that does not load and an error outside of any test count as failed: the line must not hide them. Tests that
 * passed only when they ran again are named before the line.
 */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const failed = count('failed') + broken + unhandledErrors.length;
    for (const test of tests.filter((test) => test.diagnostic()?.flaky)) {
      process.stdout.write(
        `flaky, passed when it ran again: ${test.module.relativeModuleId} > ${test.fullName}\n`,
      );
    }
    process.stdout.write(`${count('passed')} passed, ${failed} failed\n`);
  }
}
