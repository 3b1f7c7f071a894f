import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BodyBytes } from './read-node-request.ts';

const BYTES = Uint8Array.from({ length: 16_384 }, (_, i) => i % 251);

/** Adds all of `BYTES`, in chunks of this size. */
function bodyInChunks(chunkBytes: number): BodyBytes {
  const bytes = new BodyBytes(BYTES.length);
  for (let at = 0; at < BYTES.length; at += chunkBytes) bytes.add(BYTES.slice(at, at + chunkBytes));
  return bytes;
}

function takeRaw(bytes: BodyBytes): Uint8Array {
  const body = bytes.take();
  if (body.kind !== 'raw') throw new Error(`not raw: ${body.kind}`);
  return body.bytes;
}

describe('the bytes of a body', () => {
  it.each([1, 7, 4_096, 10_000, 16_384])(
    'are the chunks of %i bytes, concatenated',
    (chunkBytes) => {
      expect(takeRaw(bodyInChunks(chunkBytes))).toSatisfy(
        (bytes) => Buffer.compare(bytes, BYTES) === 0,
      );
    },
  );

  it.each([1, 7, 4_096])(
    'occupy at most twice their size in memory if they come in chunks of %i bytes',
    (size) => {
      const memoryBytes = takeRaw(bodyInChunks(size)).buffer.byteLength;
      expect(memoryBytes).toBeLessThanOrEqual(2 * BYTES.length);
    },
  );

  it('are not copied if they came in one chunk', () => {
    const bytes = new BodyBytes(BYTES.length);
    bytes.add(BYTES);
    expect(takeRaw(bytes).buffer).toBe(BYTES.buffer);
  });

  it('do not overwrite the memory around a chunk', () => {
    const memory = Uint8Array.from([1, 2, 3, 4]);
    const bytes = new BodyBytes(BYTES.length);
    bytes.add(memory.subarray(0, 1));
    bytes.add(Uint8Array.from([9, 9]));
    expect([...takeRaw(bytes)]).toEqual([1, 9, 9]);
    expect([...memory]).toEqual([1, 2, 3, 4]);
  });

  it('are reallocated at most 15 times even if each chunk is one byte', () => {
    const allocate = vi.spyOn(Buffer, 'allocUnsafeSlow');
    onTestFinished(() => allocate.mockRestore());
    bodyInChunks(1);
    // Doubling to 16,384 bytes: log2 + 1.
    expect(allocate.mock.calls.length).toBeLessThanOrEqual(Math.log2(BYTES.length) + 1);
  });

  it('are rejected without a copy, and released, if they exceed the limit', () => {
    const allocate = vi.spyOn(Buffer, 'allocUnsafeSlow');
    onTestFinished(() => allocate.mockRestore());
    const bytes = new BodyBytes(BYTES.length);
    expect(bytes.add(BYTES)).toBe(true);
    expect(bytes.add(Uint8Array.of(1))).toBe(false);
    expect(bytes.add(Uint8Array.of(1))).toBe(false);
    expect(bytes.take()).toEqual({ kind: 'none' });
    expect(allocate).not.toHaveBeenCalled();
  });

  it('yield no body if there are none', () => {
    const bytes = new BodyBytes(BYTES.length);
    bytes.add(new Uint8Array(0));
    expect(bytes.take()).toEqual({ kind: 'none' });
  });

  it('accept no further chunk once they were taken', () => {
    const bytes = bodyInChunks(7);
    takeRaw(bytes);
    expect(bytes.add(Uint8Array.of(1))).toBe(false);
    expect(bytes.take()).toEqual({ kind: 'none' });
  });
});
