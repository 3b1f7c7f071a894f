import { closeSync, openSync } from 'node:fs';
import { uncheckedFields } from '../unchecked-fields.ts';

/** How many file descriptors must be free: loading opens one file at a time, and other threads open a few more. */
const SPARE_DESCRIPTORS = 8;

/** A file that exists on every machine. */
const NULL_DEVICE = process.platform === 'win32' ? '\\\\.\\nul' : '/dev/null';

/** Two ways to load the same module. */
export interface LazyModuleSource<Module> {
  /** Loads CommonJS, which can be tried again after a failure; failures of ES modules are cached. */
  readonly require: () => Promise<Module>;
  /** Used if `require` cannot find the module: in a bundle of ES modules, and under Jest. */
  readonly import: () => Promise<Module>;
  /** What the integrator should do if both fail, in a sentence. */
  readonly advice?: string;
}

/** A dependency that takes long to load, or that not every app needs. */
export interface LazyModule<Module> {
  /**
   * Loads the module once. If that fails, the next call tries again.
   *
   * @throws an `Error` that names the module and says what to do
   */
  load(): Promise<Module>;
  /** Returns the module; throws if it has not been loaded. */
  get(): Module;
}

/** Declares a dependency that is loaded at its first use. */
export function lazyModule<Module>(
  name: string,
  source: LazyModuleSource<Module>,
): LazyModule<Module> {
  let result: { readonly module: Module } | undefined;
  let loading: Promise<Module> | undefined;

  async function loadOnce(): Promise<Module> {
    try {
      const module = await loadModule(name, source);
      result = { module };
      return module;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  }

  return {
    load() {
      loading ??= loadOnce();
      return loading;
    },
    get() {
      if (result === undefined) throw new Error(`${name} has not been loaded`);
      return result.module;
    },
  };
}

async function loadModule<Module>(name: string, source: LazyModuleSource<Module>): Promise<Module> {
  try {
    // Node.js 20 caches a failure to read a package.json even for `require`, so it is not called without descriptors.
    assertDescriptorsLeft();
    return await source.require();
  } catch (cause) {
    if (isShortage(cause)) {
      throw new Error(
        `${name} cannot be loaded while no file descriptors are left: raise the limit of the process (ulimit -n)`,
        { cause },
      );
    }
    try {
      return await source.import();
    } catch {
      const advice = source.advice === undefined ? '' : `: ${source.advice}`;
      throw new Error(`${name} cannot be loaded${advice}`, { cause });
    }
  }
}

function assertDescriptorsLeft(): void {
  const opened: number[] = [];
  try {
    while (opened.length < SPARE_DESCRIPTORS) opened.push(openSync(NULL_DEVICE, 'r'));
  } catch (error) {
    // Any other error, such as a missing permission, says nothing about other files.
    if (isShortage(error)) throw error;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

function isShortage(error: unknown): boolean {
  const { code } = uncheckedFields<NodeJS.ErrnoException>(error);
  return code === 'EMFILE' || code === 'ENFILE';
}
