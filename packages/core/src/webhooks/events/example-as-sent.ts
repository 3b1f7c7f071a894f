import { jsonText } from '../../json/json-text.ts';
import { isPromise } from '../../maybe-promise.ts';
import { issuePaths, type StandardSchema } from './standard-schema.ts';

/**
 * Returns the example of an event as receivers get it, after the checks of `auth.events.publish`. A schema may return a
 * promise, which `createAuth` cannot await: then the example is not checked by it.
 *
 * @throws {TypeError} if the schema rejects the example, with the paths of the issues; if the example is no object that
 *   JSON can represent
 * @throws the error of a schema that fails
 */
export function exampleAsSent(example: object, schema: StandardSchema<object> | undefined): object {
  const output = schema === undefined ? example : outputOf(schema, example);
  const sent: unknown = JSON.parse(jsonText(output, 'example'));
  if (typeof sent === 'object' && sent !== null && !Array.isArray(sent)) return sent;
  throw new TypeError('example must be an object that JSON can hold');
}

function outputOf({ '~standard': standard }: StandardSchema<object>, example: object): object {
  const result = standard.validate(example);
  if (isPromise(result)) {
    // An unhandled rejection would end the process.
    result.then(undefined, () => {});
    return example;
  }
  if (result.issues === undefined) return result.value;
  throw new TypeError(`the schema rejects ${issuePaths('example', result.issues)}`);
}
