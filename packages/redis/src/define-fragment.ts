interface Uses {
  /** The fragments with the functions that it calls. */
  readonly uses?: readonly Fragment[];
}

interface Functions extends Uses {
  /** Local functions. They find `now`, and the keys and arguments of the script. */
  readonly lua: string;
  /** Run before each call: puts back what the functions change, where a call may end in the middle of it. */
  readonly before?: string;
}

interface RareFunction extends Uses {
  /** As Lua has it, such as `markDead(webhook, id, reason)`. */
  readonly rareFunction: string;
  readonly body: string;
}

/** Lua that several scripts share, or a step of one that is too long to be read at once. */
export type Fragment = Functions | RareFunction;

/**
 * Lua builds a function each time it runs past its definition: with all of them in front, starting and ending an
 * attempt took Redis a seventh longer. So what mostly is not called is a `rareFunction`: what only it uses is built
 * when it is called.
 */
export function defineFragment(fragment: Fragment): Fragment {
  return fragment;
}

/** What a script has of its fragments. */
export interface FragmentSource {
  /** These fragments and all that they use: each once, behind those that it uses. */
  readonly functions: string;
  /** What is run before each call. */
  readonly before: string;
}

export function sourceOf(
  fragments: readonly Fragment[],
  known: Iterable<Fragment> = [],
): FragmentSource {
  const inScope = new Set(known);
  const parts: string[] = [];
  const before: string[] = [];
  const add = (fragment: Fragment): void => {
    if (inScope.has(fragment)) return;
    if ('lua' in fragment) {
      inOrder(fragment).forEach(add);
      parts.push(fragment.lua);
      if (fragment.before !== undefined) before.push(fragment.before);
    } else {
      const { rareFunction, body } = fragment;
      parts.push(
        `local function ${rareFunction}`,
        sourceOf(inOrder(fragment), inScope).functions,
        body,
        'end',
      );
    }
    inScope.add(fragment);
  };
  inOrder({ uses: fragments }).forEach(add);
  return { functions: parts.join('\n'), before: before.join('\n') };
}

/** Rare functions last: by then all that is built in any case is in scope, and is not built again in them. */
function inOrder({ uses = [] }: Uses): readonly Fragment[] {
  const isRare = (fragment: Fragment): boolean => 'rareFunction' in fragment;
  return [...uses.filter((one) => !isRare(one)), ...uses.filter(isRare)];
}
