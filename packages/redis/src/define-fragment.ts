interface Uses {
  /** The fragments with the functions that it calls. */
  readonly uses?: readonly Fragment[];
}

interface Functions extends Uses {
  /**
   * Local functions. They find `now`, and the keys and arguments of the script. They remember nothing: a command may
   * carry several calls.
   */
  readonly lua: string;
}

interface RareFunction extends Uses {
  /** As Lua has it, such as `markDead(webhook, id, reason)`. */
  readonly rareFunction: string;
  readonly body: string;
}

/** Lua that several scripts share, or a step of one that is too long to be read at once. */
export type Fragment = Functions | RareFunction;

/**
 * Lua builds a function each time it runs past its definition: with all of them in front, a command that starts or ends
 * a single attempt took Redis a seventh longer. So what mostly is not called is a `rareFunction`: what only it uses is
 * built when it is called.
 */
export function defineFragment(fragment: Fragment): Fragment {
  return fragment;
}

/** The source of these fragments and of all that they use: each once, behind those that it uses. */
export function sourceOf(fragments: readonly Fragment[], known: Iterable<Fragment> = []): string {
  const inScope = new Set(known);
  const parts: string[] = [];
  const add = (fragment: Fragment): void => {
    if (inScope.has(fragment)) return;
    if ('lua' in fragment) {
      inOrder(fragment).forEach(add);
      parts.push(fragment.lua);
    } else {
      const { rareFunction, body } = fragment;
      parts.push(
        `local function ${rareFunction}`,
        sourceOf(inOrder(fragment), inScope),
        body,
        'end',
      );
    }
    inScope.add(fragment);
  };
  inOrder({ uses: fragments }).forEach(add);
  return parts.join('\n');
}

/** Rare functions last: by then all that is built in any case is in scope, and is not built again in them. */
function inOrder({ uses = [] }: Uses): readonly Fragment[] {
  const isRare = (fragment: Fragment): boolean => 'rareFunction' in fragment;
  return [...uses.filter((one) => !isRare(one)), ...uses.filter(isRare)];
}
