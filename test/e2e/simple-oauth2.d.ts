// The part of simple-oauth2 that is used; it has no types.
declare module 'simple-oauth2' {
  export interface AccessToken {
    readonly token: Readonly<Record<string, unknown>>;
    expired(): boolean;
    refresh(): Promise<AccessToken>;
    revokeAll(): Promise<void>;
  }

  export class ResourceOwnerPassword {
    constructor(options: {
      readonly client: { readonly id: string; readonly secret: string };
      readonly auth: {
        readonly tokenHost: string;
        readonly tokenPath: string;
        readonly revokePath: string;
      };
      readonly options?: { readonly authorizationMethod?: 'header' | 'body' };
    });
    getToken(login: {
      readonly username: string;
      readonly password: string;
      readonly scope?: string | readonly string[];
    }): Promise<AccessToken>;
  }
}
