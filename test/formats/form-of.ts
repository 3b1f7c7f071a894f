/** Patterns of the sample ids, and their placeholders. */
const SAMPLES: readonly (readonly [RegExp, string])[] = [
  [/\{[\w-]{22}\}/g, '{user}'],
  [/\bhash of t\d\b/g, '<token hash>'],
  [/\buser-\w+\b/g, '<user>'],
  [/\bencrypted-\d\b/g, '<encrypted>'],
  [/\bwh_\d\b/g, '<webhook>'],
  [/\bcode \d\b/g, '<code hash>'],
  [/\bcounted\b/g, '<subject>'],
  [/Contact\.Added/g, '<event>'],
  [/(?<=^|:)7(?=\/)|(?<=:(?:account|capped):)7$/g, '<account>'],
  [/\bk\d+\b/g, '<key>'],
  [/(?<=\d|\b)m\d+\b/g, '<message>'],
  [/\bs\d\b/g, '<session>'],
  [/\bc\d\b/g, '<challenge>'],
  [/\be\d\b/g, '<enrolment>'],
  [/\bt\d\b/g, '<token>'],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{40}\b/g, '<hex>'],
  [/^[\w-]{43}$/g, '<digest>'],
  [/\d+/g, '<n>'],
];

/** The form of a text, with placeholders for ids and numbers; for JSON, the names of the members. */
export function formOf(text: string): string {
  if (/^[[{]["[{]/.test(text)) return formOfJson(JSON.parse(text));
  const form = SAMPLES.reduce((made, [sample, name]) => made.replaceAll(sample, name), text);
  return form.replaceAll('\n', '\\n');
}

function formOfJson(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(formOfJson))].join(', ')}]`;
  if (typeof value === 'string') return formOf(value);
  if (typeof value === 'object' && value !== null) {
    return `{${Object.keys(value).sort().join(', ')}}`;
  }
  return formOf(String(value));
}
