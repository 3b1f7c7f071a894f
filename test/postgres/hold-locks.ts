import { onTestFinished } from 'vitest';
import { connect } from './open-schema.ts';

/** Takes locks in a separate transaction; resolves to a function that releases them, as the end of the test does. */
export async function holdLocks(locks: string): Promise<() => Promise<void>> {
  const holder = await connect().connect();
  await holder.query(`BEGIN; ${locks}`);
  let isHeld = true;
  const release = async (): Promise<void> => {
    if (!isHeld) return;
    isHeld = false;
    await holder.query('COMMIT');
    holder.release();
  };
  onTestFinished(release);
  return release;
}
