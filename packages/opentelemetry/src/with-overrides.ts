/**
 * Returns a proxy of an object with some of its members replaced. Not a copy, `{ ...whole, ...overrides }`, because a
 * copy of a class instance lacks its methods.
 *
 * The target of the proxy is not `whole` itself: if `whole` is frozen, a proxy must return its members unchanged. The
 * target inherits from `whole`, so that `in` finds methods of a class. It repeats all own members, so that they are
 * copied when the proxy is spread.
 */
export function withOverrides<Whole extends object>(
  whole: Whole,
  overrides: Partial<Whole>,
): Whole {
  const descriptors = Object.getOwnPropertyDescriptors({ ...whole, ...overrides });
  return new Proxy<Whole>(Object.create(whole, descriptors), {
    get(_target, name) {
      if (Object.hasOwn(overrides, name)) return Reflect.get(overrides, name);
      const member: unknown = Reflect.get(whole, name);
      return typeof member === 'function' ? member.bind(whole) : member;
    },
  });
}
