import { types } from 'node:util';

/**
 * Describes what JSON would lose of a value that `JSON.stringify` is about to write, in words that follow "is". `null`:
 * JSON loses nothing.
 *
 * @param value - the result of its `toJSON`, if it has one
 * @param holder - the object that has, under `key`, the value before its `toJSON`
 */
export function lossInJson(value: unknown, holder: object, key: string): string | null {
  switch (typeof value) {
    case 'undefined':
      return 'undefined; leave it out, or say null';
    case 'bigint':
      return 'a BigInt; send it as text';
    case 'number':
      return Number.isFinite(value) ? null : 'no finite number';
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
    case 'object': {
      if (value === null) return isInvalidTime(Reflect.get(holder, key)) ? 'an invalid date' : null;
      if (hasMethod(value, 'toJSON') && value !== Reflect.get(holder, key)) {
        return 'what a toJSON returned, and has another toJSON, which JSON does not call';
      }
      return lossInObject(value);
    }
    default:
      return null;
  }
}

function lossInObject(value: object): string | null {
  if (Array.isArray(value)) return lossInList(value);
  // A shortcut for plain objects, because checking for each kind is slow.
  if (Object.getPrototypeOf(value) === Object.prototype) return lossInRecord(value);
  if (types.isBoxedPrimitive(value)) return lossInBox(value);
  return lossInKind(value) ?? lossInRecord(value);
}

/** Whether the value is a date, also of a library, whose time is NaN: the `toJSON` of such a date returns `null`. */
function isInvalidTime(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    hasMethod(value, 'valueOf') &&
    Number.isNaN(value.valueOf())
  );
}

/** Kinds whose content is not in fields, even if they also have fields, such as the `code` of an error. */
function lossInKind(value: object): string | null {
  if (hasMethod(value, 'then')) return 'a promise; await it';
  if (types.isMap(value) || types.isSet(value)) return 'a Map or Set; send an array';
  if (types.isNativeError(value) || value instanceof Error) return 'an Error; send its message';
  if (ArrayBuffer.isView(value)) return 'binary data; send it as base64';
  return null;
}

/** A boxed primitive is written as its value. */
function lossInBox(box: object): string | null {
  if (types.isBigIntObject(box)) return 'a BigInt; send it as text';
  if (types.isSymbolObject(box)) return 'a symbol';
  return types.isNumberObject(box) && !Number.isFinite(Number(box)) ? 'no finite number' : null;
}

/** JSON has only the items of a list. */
function lossInList(list: readonly unknown[]): string | null {
  return Object.keys(list).length > list.length || hasSymbols(list) ? 'a list with fields' : null;
}

/** JSON has only the own fields with string keys. */
function lossInRecord(record: object): string | null {
  if (Object.keys(record).length === 0) return isEmptyRecord(record) ? null : lossOfAll(record);
  if (hasSymbols(record)) return 'an object with a symbol as a key';
  for (const name in record) {
    if (Object.hasOwn(record, name) || !isData(Reflect.get(record, name))) continue;
    return `an object that inherits ${JSON.stringify(name)}; send a copy that has it`;
  }
  return null;
}

function hasSymbols(value: object): boolean {
  const symbols = Object.getOwnPropertySymbols(value);
  return symbols.some((key) => Object.getOwnPropertyDescriptor(value, key)?.enumerable);
}

function isData(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function';
}

/**
 * Whether the value is an empty object without a prototype, or with the `Object.prototype` of any realm, which is
 * recognised by its own `hasOwnProperty`. A class instance without fields does not count: it may have private ones.
 */
function isEmptyRecord(value: object): boolean {
  if (Reflect.ownKeys(value).length > 0) return false;
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || Object.hasOwn(prototype, 'hasOwnProperty');
}

function lossOfAll(value: object): string {
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  const isClass = typeof name === 'string' && name !== '' && name !== 'Object';
  const kind = isClass ? `an instance of ${name}` : 'an object';
  return `${kind}, of which JSON keeps nothing`;
}

function hasMethod(value: object, name: string): boolean {
  return name in value && typeof Reflect.get(value, name) === 'function';
}
