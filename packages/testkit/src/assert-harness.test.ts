import { expect, it } from 'vitest';
import { certifyAtRest } from './certify-at-rest.ts';
import { certifyEngine } from './certify-engine.ts';
import { certifyLimiters } from './certify-limiters.ts';
import { certifyMfa } from './certify-mfa.ts';
import { certifyPersonalAccessTokens } from './certify-personal-access-tokens.ts';
import { certifyStartup } from './certify-startup.ts';
import { certifyStorage } from './certify-storage.ts';
import { certifyUsers } from './certify-users.ts';
import { certifyWebhooks } from './certify-webhooks.ts';
import { expectMutantsCaught } from './expect-mutants-caught.ts';

it.each(
  Object.entries({
    certifyAtRest,
    certifyEngine,
    certifyLimiters,
    certifyMfa,
    certifyPersonalAccessTokens,
    certifyStartup,
    certifyStorage,
    certifyUsers,
    certifyWebhooks,
    expectMutantsCaught,
  }),
)('%s throws a TypeError with its signature if an argument is missing', (name, certify) => {
  const runner = { describe: () => expect.fail(), it: () => expect.fail() };
  for (const args of [[], [null, null], [{}, {}], [runner], [runner, {}]]) {
    expect(() => Reflect.apply(certify, undefined, args)).toThrow(
      new TypeError(
        `${name} takes a test runner and a harness: ${name}({ describe, it }, { open })`,
      ),
    );
  }
});
