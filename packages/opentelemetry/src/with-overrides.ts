/**
 * A proxy of an object with some of its members replaced. A copy of a class instance would lack its methods. The target
 * is a new object, as a proxy of a frozen object must return the frozen members; it has all own members, so that the
 * result can be spread.
 */
export function withOverrides<Whole extends object>(whole: Whole, changed: Partial<Whole>): Whole {
  const listed = Object.getOwnPropertyDescriptors({ ...whole, ...changed });
  return new Proxy<Whole>(Object.create(whole, listed), {
    get(_target, name) {
      if (Object.hasOwn(changed, name)) return Reflect.get(changed, name);
      const member: unknown = Reflect.get(whole, name);
      return typeof member === 'function' ? member.bind(whole) : member;
    },
  });
}
