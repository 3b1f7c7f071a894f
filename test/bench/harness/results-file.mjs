import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../RESULTS.md', import.meta.url);
const HEADER = `# Measured

Written by \`node test/bench/run.mjs --save\`: [how to read it](README.md#how-to-read-a-result).
`;

/** Writes a section (`## title`, text) into RESULTS.md, instead of the section with the same title. */
export function saveSection(title, text) {
  const sections = readSections();
  sections.set(title, text.trim());
  const parts = [...sections].map(([name, body]) => `\n## ${name}\n\n${body}\n`);
  writeFileSync(file, HEADER + parts.join(''));
}

function readSections() {
  const [, ...sections] = readOrEmpty().split(/^## /m);
  return new Map(
    sections.map((section) => {
      const end = section.indexOf('\n');
      return [section.slice(0, end), section.slice(end).trim()];
    }),
  );
}

function readOrEmpty() {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
