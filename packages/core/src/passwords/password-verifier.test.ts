import argon2 from 'argon2';
import { describe, expect, it } from 'vitest';
import type { User } from '../users.ts';
import type { Argon2Work } from './argon2-phc.ts';
import { createHashGate, type HashGate } from './hash-gate.ts';
import type { PasswordOptions } from './password-options.ts';
import { createPasswordVerifier } from './password-verifier.ts';
import type { PasswordScheme, SchemeAnswer } from './schemes/password-scheme.ts';

const PASSWORD = 'correct horse battery staple';
const ADDRESS = '192.0.2.1';
const TODAY = { version: 0x13, memoryKib: 19_456, iterations: 2, parallelism: 1, tagBytes: 32 };

/** A verifier whose every run of argon2id is counted. It is cheap: a tag is the password and the salt. */
function countingVerifier(options?: PasswordOptions, gate: HashGate = createHashGate(options)) {
  const runs: Argon2Work[] = [];
  const computeArgon2 = async (password: string, work: Argon2Work) => {
    runs.push(work);
    return Buffer.alloc(work.tagBytes, `${password} ${work.salt.toString('hex')}`);
  };
  return { runs, verifier: createPasswordVerifier(options, { gate, computeArgon2 }) };
}

type Counting = ReturnType<typeof countingVerifier>;

async function hashOf({ verifier, runs }: Counting, password: string): Promise<string> {
  const hashed = await verifier.hash(password);
  if (hashed.outcome !== 'hashed') throw new Error(`not hashed: ${hashed.outcome}`);
  runs.length = 0;
  return hashed.passwordHash;
}

function userWith(passwordHash: string | null, more: Partial<User> = {}): User {
  return { id: 'u1', passwordHash, accounts: [1], ...more };
}

/** Recognises hashes that begin with `old:` and holds the password in the clear behind that. */
function oldScheme(answer?: SchemeAnswer): PasswordScheme & { asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'old',
    asked,
    recognises: (hash) => hash.startsWith('old:'),
    async verify(hash, password) {
      asked.push(password);
      return answer ?? (hash === `old:${password}` ? 'match' : 'mismatch');
    },
  };
}

/** Takes the gate's one permit until told to give it back. */
function block(gate: HashGate): () => Promise<unknown> {
  let finish = (): void => undefined;
  const blocking = gate.run(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
    'blocking',
  );
  return () => {
    finish();
    return blocking;
  };
}

describe('a login by a stored hash', () => {
  it('matches by the right password, for one argon2id', async () => {
    const counting = countingVerifier();
    const user = userWith(await hashOf(counting, PASSWORD));
    expect(await counting.verifier.verify(user, PASSWORD, ADDRESS)).toEqual({
      outcome: 'match',
      needsRehash: false,
    });
    expect(counting.runs).toHaveLength(1);
  });

  const COSTLY =
    '$argon2id$v=19$m=4194304,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$7Gk7aEIYzmYtbHYYvvqBKT0sqZc';
  it.each<[string, (hash: string) => User | null, string, string]>([
    ['an unknown user', () => null, PASSWORD, 'unknown_user'],
    ['a wrong password', (hash) => userWith(hash), 'wrong', 'wrong_password'],
    ['a disabled user', (hash) => userWith(hash, { disabled: true }), PASSWORD, 'disabled'],
    ['a user without password', () => userWith(null), PASSWORD, 'unusable_hash'],
    ['a hash of nothing known', () => userWith('{SSHA}x'), PASSWORD, 'unusable_hash'],
    ['an empty hash', () => userWith(''), PASSWORD, 'unusable_hash'],
    ['a damaged hash', (hash) => userWith(hash.slice(0, -30)), PASSWORD, 'unusable_hash'],
    ['argon2i', (h) => userWith(h.replace('2id', '2i')), PASSWORD, 'unusable_hash'],
    ['a hash of 4 GiB', () => userWith(COSTLY), PASSWORD, 'unusable_hash'],
    ['a hash that its scheme cannot use', () => userWith('old:x'), PASSWORD, 'unusable_hash'],
  ])("refuses %s for exactly one argon2id of today's parameters", async (...row) => {
    const [, user, password, reason] = row;
    const counting = countingVerifier({ schemes: [oldScheme('unusable')] });
    const hash = await hashOf(counting, PASSWORD);
    expect(await counting.verifier.verify(user(hash), password, ADDRESS)).toEqual({
      outcome: 'mismatch',
      reason,
    });
    expect(counting.runs).toHaveLength(1);
    expect(counting.runs[0]).toMatchObject(TODAY);
  });

  it('refuses where a directory without types leaves the hash out', async () => {
    const { verifier, runs } = countingVerifier();
    const user: User = JSON.parse('{"id":"u1","accounts":[]}');
    expect(await verifier.verify(user, PASSWORD, ADDRESS)).toEqual({
      outcome: 'mismatch',
      reason: 'unusable_hash',
    });
    expect(runs).toHaveLength(1);
  });

  it('keeps memory flat before a hash of 4 GiB', async () => {
    const verifier = createPasswordVerifier();
    await verifier.verify(null, PASSWORD, ADDRESS);
    const before = process.memoryUsage().rss;
    await verifier.verify(userWith(COSTLY), PASSWORD, ADDRESS);
    // The one dummy takes 19 MiB.
    expect(process.memoryUsage().rss - before).toBeLessThan(48 * 1024 * 1024);
  });

  it('takes NFC and NFD for the same password, whichever was enrolled', async () => {
    const counting = countingVerifier();
    const [nfc, nfd] = ['caf\u00e9', 'cafe\u0301'];
    const user = userWith(await hashOf(counting, nfd));
    for (const typed of [nfc, nfd]) {
      expect(await counting.verifier.verify(user, typed, ADDRESS)).toMatchObject({
        outcome: 'match',
      });
    }
  });

  it('takes them for two under `none`', async () => {
    const counting = countingVerifier({ normalization: 'none' });
    const user = userWith(await hashOf(counting, 'cafe\u0301'));
    const verdict = await counting.verifier.verify(user, 'caf\u00e9', ADDRESS);
    expect(verdict).toMatchObject({ outcome: 'mismatch' });
  });

  it('asks for a rehash where today would hash harder', async () => {
    const yesterday = countingVerifier({ memoryKib: 12_288, iterations: 3 });
    const user = userWith(await hashOf(yesterday, PASSWORD));
    const { verifier } = countingVerifier();
    expect(await verifier.verify(user, PASSWORD, ADDRESS)).toEqual({
      outcome: 'match',
      needsRehash: true,
    });
  });

  it("logs in by the team's own scheme, without argon2id, and asks for a rehash", async () => {
    const { verifier, runs } = countingVerifier({ schemes: [oldScheme()] });
    const user = userWith(`old:${PASSWORD}`);
    expect(await verifier.verify(user, PASSWORD, ADDRESS)).toEqual({
      outcome: 'match',
      needsRehash: true,
    });
    expect(await verifier.verify(user, 'wrong', ADDRESS)).toMatchObject({
      reason: 'wrong_password',
    });
    expect(runs).toHaveLength(0);
  });

  it('hands a scheme what was typed, since its hash was made of that', async () => {
    const scheme = oldScheme();
    const { verifier } = countingVerifier({ schemes: [scheme] });
    await verifier.verify(userWith('old:x'), 'cafe\u0301', ADDRESS);
    expect(scheme.asked).toEqual(['cafe\u0301']);
  });

  it('rejects where a scheme fails, and names it without the password', async () => {
    const cause = new Error('native module missing');
    const scheme = { ...oldScheme(), verify: () => Promise.reject(cause) };
    const { verifier } = countingVerifier({ schemes: [scheme] });
    await expect(verifier.verify(userWith('old:x'), PASSWORD, ADDRESS)).rejects.toMatchObject({
      message: 'The password scheme old failed',
      cause,
    });
  });
});

describe('the bound', () => {
  it('holds for logins, for schemes and for new hashes alike', async () => {
    const gate = createHashGate({ concurrency: 1, maxWaitMs: 0 });
    const verifier = createPasswordVerifier({ schemes: [oldScheme()] }, { gate });
    const unblock = block(gate);
    const shed = { outcome: 'shed', reason: 'queue_full' };
    expect(await verifier.verify(null, PASSWORD, ADDRESS)).toEqual(shed);
    expect(await verifier.verify(userWith('old:x'), PASSWORD, ADDRESS)).toEqual(shed);
    expect(await verifier.hash(PASSWORD)).toEqual(shed);
    expect(await verifier.hashIfIdle(PASSWORD)).toEqual({ outcome: 'busy' });
    await unblock();
    expect(await verifier.hashIfIdle(PASSWORD)).toMatchObject({ outcome: 'hashed' });
  });

  it('lets addresses take turns, an IPv6 /64 being one, and new hashes of the host too', async () => {
    const gate = createHashGate({ concurrency: 1 });
    const { verifier } = countingVerifier({}, gate);
    const unblock = block(gate);
    const order: string[] = [];
    const logIn = (address: string | null, name: string) =>
      verifier.verify(null, PASSWORD, address).then(() => order.push(name));
    const logins = [
      logIn('2001:db8::1', 'six 1'),
      logIn('2001:db8::2', 'six 2'),
      logIn('2001:db8::3', 'six 3'),
      logIn(null, 'unknown 1'),
      logIn(null, 'unknown 2'),
      logIn(ADDRESS, 'four 1'),
      verifier.hash(PASSWORD).then(() => order.push('host 1')),
    ];
    await unblock();
    await Promise.all(logins);
    expect(order).toEqual([
      ...['six 1', 'unknown 1', 'four 1', 'host 1'],
      ...['six 2', 'unknown 2'],
      'six 3',
    ]);
  });

  it('lets no more real hashes into the thread pool than configured', async () => {
    let active = 0;
    let most = 0;
    const computeArgon2 = async (password: string, work: Argon2Work) => {
      active += 1;
      most = Math.max(most, active);
      const tag = await argon2.hash(password, { raw: true, memoryCost: 64, salt: work.salt });
      active -= 1;
      return tag;
    };
    const verifier = createPasswordVerifier({ concurrency: 2 }, { computeArgon2 });
    await Promise.all(Array.from({ length: 40 }, () => verifier.verify(null, PASSWORD, ADDRESS)));
    expect(most).toBe(2);
  });
});

describe('a new hash', () => {
  it.each([
    ['', 'must not be empty'],
    ['\ud800x', 'must be well-formed Unicode'],
  ])('is not made of %j', async (password, message) => {
    const { verifier, runs } = countingVerifier();
    expect(await verifier.hash(password)).toEqual({ outcome: 'refused', message });
    expect(runs).toHaveLength(0);
  });

  it('is one that the same verifier opens', async () => {
    const verifier = createPasswordVerifier();
    const hashed = await verifier.hash(PASSWORD);
    if (hashed.outcome !== 'hashed') throw new Error(hashed.outcome);
    const user = userWith(hashed.passwordHash);
    expect(await verifier.verify(user, PASSWORD, ADDRESS)).toEqual({
      outcome: 'match',
      needsRehash: false,
    });
  });
});

describe("the host's own verifier", () => {
  /** Opens for `PASSWORD`, and notes whom it was asked for. */
  function hostVerifier() {
    const asked: (string | null)[] = [];
    const verifier = async (user: User | null, password: string) => {
      asked.push(user?.id ?? null);
      return password === PASSWORD;
    };
    return { asked, verifier };
  }

  it('decides alone: no argon2id, no stored hash, no rehash', async () => {
    const { runs, verifier } = countingVerifier(hostVerifier());
    expect(await verifier.verify(userWith(null), PASSWORD, ADDRESS)).toEqual({
      outcome: 'match',
      needsRehash: false,
    });
    expect(await verifier.verify(userWith(null), 'wrong', ADDRESS)).toEqual({
      outcome: 'mismatch',
      reason: 'wrong_password',
    });
    expect(runs).toHaveLength(0);
  });

  it('is asked once for unknown and disabled users too, as for nobody, and not believed', async () => {
    const host = hostVerifier();
    const { verifier } = countingVerifier(host);
    const disabled = userWith(null, { disabled: true });
    expect(await verifier.verify(null, PASSWORD, ADDRESS)).toMatchObject({
      reason: 'unknown_user',
    });
    expect(await verifier.verify(disabled, PASSWORD, ADDRESS)).toMatchObject({
      reason: 'disabled',
    });
    expect(host.asked).toEqual([null, null]);
  });

  it('opens by `true` alone', async () => {
    const truthy = JSON.parse('{"ok":false}');
    const { verifier } = countingVerifier({ verifier: async () => truthy });
    expect(await verifier.verify(userWith(null), PASSWORD, ADDRESS)).toMatchObject({
      outcome: 'mismatch',
    });
  });

  it('is bounded, unless the host says that it need not be', async () => {
    const gate = createHashGate({ concurrency: 1, maxWaitMs: 0 });
    const unblock = block(gate);
    const bounded = createPasswordVerifier(hostVerifier(), { gate });
    const unbounded = createPasswordVerifier({ ...hostVerifier(), gate: false }, { gate });
    expect(await bounded.verify(userWith(null), PASSWORD, ADDRESS)).toMatchObject({
      outcome: 'shed',
    });
    expect(await unbounded.verify(userWith(null), PASSWORD, ADDRESS)).toMatchObject({
      outcome: 'match',
    });
    await unblock();
  });

  it('rejects as it rejects', async () => {
    const fault = new Error('LDAP is down');
    const { verifier } = countingVerifier({ verifier: () => Promise.reject(fault) });
    await expect(verifier.verify(userWith(null), PASSWORD, ADDRESS)).rejects.toBe(fault);
  });
});

describe('contradictory options', () => {
  const verifier = async () => true;
  it.each<[PasswordOptions, string]>([
    [{ verifier, schemes: [] }, 'password_schemes_beside_verifier'],
    [{ gate: false }, 'password_gate_without_verifier'],
    [{ memoryKib: 1_024 }, 'argon2_too_weak'],
    [{ concurrency: 0 }, 'option_out_of_bounds'],
  ])('%o are refused as %s', (options, code) => {
    expect(() => createPasswordVerifier(options)).toThrow(expect.objectContaining({ code }));
  });
});
