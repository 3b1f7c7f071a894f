import { expect } from 'vitest';

const RULE = `Names at rest are a format. Processes of the version before still read and write them during a deploy, and again
after a rollback, so from the first release on nothing listed may be renamed, retyped or removed in one step: add the new
to the old, read both, write the old, and remove the old a version later. See docs/guides/upgrading.md.
If the change follows this rule, write the lists again and review them: pnpm exec vitest run --project integration test/formats -u`;

/** Expects the list in `docs/formats`, and fails with the rule for changes. */
export async function expectListed(
  file: string,
  introduction: string,
  list: string,
): Promise<void> {
  const path = new URL(`../../docs/formats/${file}`, import.meta.url).pathname;
  const text = `${introduction.trim()}\n\n${list}\n`;
  await expect(text, RULE).toMatchFileSnapshot(path);
}
