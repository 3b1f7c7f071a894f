import { closeSync, openSync } from 'node:fs';

/** File descriptors that must be free before loading, which opens one file at a time; other threads open a few more. */
const SPARE_DESCRIPTORS = 8;

/** Exists on every machine. */
const NOTHING = process.platform === 'win32' ? '\\\\.\\nul' : '/dev/null';

/** Two ways to load the same module. */
export interface LazyModuleSource<Module> {
  /** By CommonJS, which tries a module again that has failed; ES modules remember the failure. */
  readonly require: () => Promise<Module>;
  /** For where `require` cannot find it: in a bundle of ES modules, and under Jest. */
  readonly import: () => Promise<Module>;
  /** What to do if both fail, in a sentence. */
  readonly advice?: string;
}

/** A dependency that takes long to load, or that not every app needs. */
export interface LazyModule<Module> {
  /**
   * Loads it, once. If that fails, the next call tries again.
   *
   * @throws an `Error` that names the module and says what to do
   */
  load(): Promise<Module>;
  /** The module, which has been loaded. */
  get(): Module;
}

/** Makes a dependency that is loaded when it is first needed. */
export function lazyModule<Module>(
  name: string,
  source: LazyModuleSource<Module>,
): LazyModule<Module> {
  let loaded: { readonly module: Module } | undefined;
  let loading: Promise<Module> | undefined;

  async function read(): Promise<Module> {
    const module = await loadModule(name, source);
    loaded = { module };
    return module;
  }

  return {
    load() {
      loading ??= read().catch((error) => {
        loading = undefined;
        throw error;
      });
      return loading;
    },
    get() {
      if (loaded === undefined) throw new Error(`${name} has not been loaded`);
      return loaded.module;
    },
  };
}

async function loadModule<Module>(name: string, source: LazyModuleSource<Module>): Promise<Module> {
  try {
    // Node.js 20 also caches that a package.json could not be read, for both ways. So do not try what is bound to fail.
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
    while (opened.length < SPARE_DESCRIPTORS) opened.push(openSync(NOTHING, 'r'));
  } catch (error) {
    // Anything else, such as a missing permission, says nothing about other files.
    if (isShortage(error)) throw error;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

function isShortage(error: unknown): boolean {
  const { code } = Object(error);
  return code === 'EMFILE' || code === 'ENFILE';
}
