/**
 * Returns a proxy of an object with some of its members replaced. Not a copy, `{ ...whole, ...overrides }`, because a
 * copy of a class instance lacks its methods. The proxy does not have `whole` itself as its target because `whole` may
 * be frozen, and a proxy must return the members of a frozen target. Its target inherits from `whole`, and repeats all
 * own members because only these are copied when the proxy is spread.
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
