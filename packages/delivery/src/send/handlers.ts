import type { Dispatcher } from 'undici';
import type { Exchange, RawHeaders } from './exchange.ts';

/**
 * How a `Client` of ours calls an exchange: by the interface that undici 7 itself works with, and deprecates. For the
 * current one it wraps each handler and makes an object of all headers, of which only a refusal has any read.
 */
export class RawHandler implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#exchange.begin(abort);
  }

  onHeaders(status: number, headers: readonly Buffer[]): true {
    this.#exchange.takeHeaders(status, headers);
    return true;
  }

  onData(chunk: Buffer): true {
    this.#exchange.takeContent(chunk);
    return true;
  }

  onComplete(): void {
    this.#exchange.complete();
  }

  onError(error: Error): void {
    this.#exchange.fail(error);
  }
}

/** How a dispatcher of the host calls an exchange: it may be of a later undici, which knows only this interface. */
export class CurrentHandler implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#exchange.begin((reason) => controller.abort(reason));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Headers,
  ): void {
    this.#exchange.takeHeaders(status, byTurns(headers));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#exchange.takeContent(chunk);
  }

  onResponseEnd(): void {
    this.#exchange.complete();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#exchange.fail(error);
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function byTurns(headers: Headers): RawHeaders {
  return Object.entries(headers).flatMap(([name, values = []]) =>
    [values].flat().flatMap((value) => [name, value]),
  );
}
