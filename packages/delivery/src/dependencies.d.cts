import type { Undici } from './send/undici.ts';

export const undici: () => Undici;
