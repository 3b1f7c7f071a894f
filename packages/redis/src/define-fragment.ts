interface Uses {
  /** The fragments that define the functions that this one calls. */
  readonly uses?: readonly Fragment[];
}

interface Functions extends Uses {
  /**
   * Definitions of local functions. They must keep no state because a command may carry several calls.
   */
  readonly lua: string;
}

interface LazyFunction extends Uses {
  /** The name and the parameters of the function in Lua, such as `removeDeliveries(webhook, ids)`. */
  readonly lazyFunction: string;
  readonly body: string;
}

/**
 * Lua functions that several scripts share, or a step of a long script.
 *
 * The comment of a fragment lists its outer values, if any: the locals of the script that its functions use besides
 * their parameters. `defineScript` defines `now` (ms), its digits `nowText`, and `work`, which counts towards
 * `MAX_WORK`; each key, such as `rootKey` for the key `root`; and the arguments.
 */
export type Fragment = Functions | LazyFunction;

/**
 * Lua creates a closure each time it runs past a function's definition, which costs time in every command. So a
 * function that is rarely called is a `lazyFunction`: fragments that no other function uses are defined inside it, and
 * their closures are created only when it is called.
 */
export function defineFragment(fragment: Fragment): Fragment {
  return fragment;
}

/**
 * The source of these fragments and of all that they use, each once and after the fragments that it uses.
 *
 * @param defined - fragments that are left out because they are already in scope
 */
export function sourceOf(fragments: readonly Fragment[], defined: Iterable<Fragment> = []): string {
  const inScope = new Set(defined);
  const parts: string[] = [];
  const add = (fragment: Fragment): void => {
    if (inScope.has(fragment)) return;
    if ('lua' in fragment) {
      usesInOrder(fragment).forEach(add);
      parts.push(fragment.lua);
    } else {
      const { lazyFunction, body } = fragment;
      parts.push(
        `local function ${lazyFunction}`,
        sourceOf(usesInOrder(fragment), inScope),
        body,
        'end',
      );
    }
    inScope.add(fragment);
  };
  usesInOrder({ uses: fragments }).forEach(add);
  return parts.join('\n');
}

/**
 * Lazy functions come last: then all other fragments are in scope, and are not defined again inside a lazy function.
 */
function usesInOrder({ uses = [] }: Uses): readonly Fragment[] {
  const isLazy = (fragment: Fragment): boolean => 'lazyFunction' in fragment;
  return [...uses.filter((one) => !isLazy(one)), ...uses.filter(isLazy)];
}
