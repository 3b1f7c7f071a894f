/**
 * Returns a proxy of an object with some of its members replaced. A copy of a class instance would lack its
 * methods. The target is a new object because the proxy of a frozen object must return the frozen members. The target
 * has all own members, so that the proxy can be spread.
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
