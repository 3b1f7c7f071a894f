/**
 * The same object, but for some of its members. By a proxy, since it may be of a class, whose methods no copy
 * would have; in front of another object, since it may be frozen, of which no proxy may tell otherwise. What it has
 * of its own is listed there, so that the same object can be spread.
 */
export function butFor<Whole extends object>(whole: Whole, changed: Partial<Whole>): Whole {
  const listed = Object.getOwnPropertyDescriptors({ ...whole, ...changed });
  return new Proxy<Whole>(Object.create(whole, listed), {
    get(_target, name) {
      if (Object.hasOwn(changed, name)) return Reflect.get(changed, name);
      const member: unknown = Reflect.get(whole, name);
      return typeof member === 'function' ? member.bind(whole) : member;
    },
  });
}
