import type { Redis } from 'ioredis';
import { formOf } from './form-of.ts';

/** The observed forms of the keys of a prefix. */
export interface KeyForms {
  /** Records the forms of all current keys. */
  look(): Promise<void>;
  /** All recorded forms: each kind of key with its type, below it the fields and members with their values. */
  list(): string;
}

/** Watches the keys of a prefix that no other test uses. */
export function watchKeys(redis: Redis, prefix: string): KeyForms {
  const kinds = new Map<string, Map<string, Set<string>>>();

  function note(kind: string, part: string, value: string): void {
    const parts = kinds.get(kind) ?? new Map<string, Set<string>>();
    kinds.set(kind, parts);
    parts.set(part, (parts.get(part) ?? new Set()).add(value));
  }

  return {
    async look() {
      for (const key of await redis.keys(`${prefix}:*`)) {
        const type = await redis.type(key);
        // The key has expired since KEYS found it.
        if (type === 'none') continue;
        const kind = `latchhook${formOf(key.slice(prefix.length))}  (${type})`;
        for (const [part, value] of await partsOf(redis, key, type)) {
          note(kind, formOf(part), formOf(value));
        }
      }
    },
    list: () =>
      [...kinds]
        .sort(byName)
        .map(([kind, parts]) => [kind, ...[...parts].sort(byName).map(lineOf)].join('\n'))
        .join('\n\n'),
  };
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

function lineOf([part, values]: readonly [string, ReadonlySet<string>]): string {
  return `  ${part}: ${[...values].sort().join(' | ')}`;
}

/** The fields of a hash; the members of a set with their scores; the value of a string. */
async function partsOf(
  redis: Redis,
  key: string,
  type: string,
): Promise<readonly (readonly [part: string, value: string])[]> {
  switch (type) {
    case 'hash':
      return Object.entries(await redis.hgetall(key));
    case 'zset':
      return (await redis.zrange(key, 0, '-1')).map((member) => [member, 'score']);
    case 'set':
      return (await redis.smembers(key)).map((member) => [member, 'member']);
    case 'list':
      return (await redis.lrange(key, 0, -1)).map((element) => ['element', element]);
    case 'string':
      return [['value', (await redis.get(key)) ?? '']];
    default:
      throw new Error(`What is kept in a ${type} is not read: teach this function to.`);
  }
}
