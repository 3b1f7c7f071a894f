/**
 * The same object with some of its members replaced. By a proxy, since a copy of an instance of a class would lack its
 * methods; and the proxy stands before an object of its own, as one before a frozen object may not answer anything else.
 * That object lists all own members, so that what comes of this can be spread.
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
