import { closeSync, openSync } from 'node:fs';

/** Files that must be openable before anything is loaded: loading opens one at a time, and other threads a few more. */
const SPARE_DESCRIPTORS = 8;

/** There on every machine. */
const NOTHING = process.platform === 'win32' ? '\\\\.\\nul' : '/dev/null';

/** Two ways to the same module. */
export interface LazyModuleSource<Module> {
  /** By CommonJS, which forgets a module that failed. */
  readonly require: () => Promise<Module>;
  /** Where `require` does not reach it: in a bundle of ES modules, and under Jest. */
  readonly import: () => Promise<Module>;
  /** What to do if neither does, in a sentence. */
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

/** Everything that is loaded late goes through this. */
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
    // Node.js 20 also remembers that a package.json could not be read, regardless of who asked. So nothing begins that
    // must fail.
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
