// Made of docs/api/openapi.json by tools/openapi-types.mjs: pnpm api:update.

export interface paths {
    readonly "/token": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Refresh (use POST /token)
         * @deprecated
         */
        readonly put: operations["refreshTokenDeprecated"];
        /** Log in by password, or refresh */
        readonly post: operations["issueToken"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/token/challenge": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Answer an MFA challenge */
        readonly post: operations["answerChallenge"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/token/revoke": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** End the session of a token, or a personal access token */
        readonly post: operations["revokeToken"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/token/introspect": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Check a token, and read its content */
        readonly post: operations["introspectToken"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/.well-known/jwks.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The public keys of access tokens */
        readonly get: operations["getJwks"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/.well-known/oauth-authorization-server": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The URLs of the endpoints */
        readonly get: operations["getServerMetadata"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/self/sessions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The logins of the user, newest first */
        readonly get: operations["listSessions"];
        readonly put?: never;
        readonly post?: never;
        /** End all logins of the user, or all others */
        readonly delete: operations["endSessions"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/self/sessions/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** End one login of the user */
        readonly delete: operations["endSession"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/self/mfa/totp": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Begin to enrol an authenticator app */
        readonly post: operations["beginTotpEnrolment"];
        /** Remove the authenticator app and its recovery codes */
        readonly delete: operations["removeTotp"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/self/mfa/totp/confirm": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Enrol the authenticator app, by a code that it shows */
        readonly post: operations["confirmTotpEnrolment"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/self/mfa/recovery-codes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Make new recovery codes in place of the old ones */
        readonly post: operations["replaceRecoveryCodes"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/self/pats": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The personal access tokens of the user, oldest first */
        readonly get: operations["listPersonalAccessTokens"];
        readonly put?: never;
        /** Make a personal access token */
        readonly post: operations["createPersonalAccessToken"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/self/pats/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Revoke a personal access token */
        readonly delete: operations["revokePersonalAccessToken"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The webhooks of an account, oldest first */
        readonly get: operations["listWebhooks"];
        readonly put?: never;
        /** Register a webhook */
        readonly post: operations["createWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks/event-types": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the events for which webhooks can be registered */
        readonly get: operations["listEventTypes"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One webhook */
        readonly get: operations["getWebhook"];
        readonly put?: never;
        readonly post?: never;
        /** Remove a webhook and its deliveries */
        readonly delete: operations["deleteWebhook"];
        readonly options?: never;
        readonly head?: never;
        /** Change a webhook */
        readonly patch: operations["updateWebhook"];
        readonly trace?: never;
    };
    readonly "/webhooks/{id}/secret": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Make a new signing secret; the old one keeps signing for a day */
        readonly post: operations["rotateWebhookSecret"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks/{id}/ping": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Send an event of type Webhook.Ping */
        readonly post: operations["pingWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks/{id}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The deliveries of a webhook and their attempts, newest first */
        readonly get: operations["listDeliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks/{id}/deliveries/{delivery}/resend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Send a delivery again */
        readonly post: operations["resendDelivery"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks/{id}/enable": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Enable a disabled webhook, and send its held deliveries */
        readonly post: operations["enableWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks/{id}/recover": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Send all dead deliveries since a time again */
        readonly post: operations["recoverDeliveries"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** This description */
        readonly get: operations["getOpenApiDocument"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface webhooks {
    readonly "Account.Created": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Account.Created happened */
        readonly post: operations["deliverAccountCreated"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "Account.Updated": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Account.Updated happened */
        readonly post: operations["deliverAccountUpdated"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "Account.Confirmed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Account.Confirmed happened */
        readonly post: operations["deliverAccountConfirmed"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "Account.Deleted": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Account.Deleted happened */
        readonly post: operations["deliverAccountDeleted"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "Contact.Added": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Contact.Added happened */
        readonly post: operations["deliverContactAdded"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "Contact.Updated": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Contact.Updated happened */
        readonly post: operations["deliverContactUpdated"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "Contact.Removed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Contact.Removed happened */
        readonly post: operations["deliverContactRemoved"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "Contact.Tagged": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Contact.Tagged happened */
        readonly post: operations["deliverContactTagged"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "Webhook.Ping": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Test a receiver */
        readonly post: operations["deliverWebhookPing"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface components {
    schemas: {
        readonly Error: {
            readonly error: string;
            readonly error_description: string;
            readonly errors?: readonly {
                readonly field: string;
                readonly message: string;
            }[];
            readonly attempts_remaining?: number;
        };
        readonly PasswordGrant: {
            /** @constant */
            readonly grant_type?: "password";
            /**
             * Format: idn-email
             * @description E-mail address, of 254 characters at most in NFC.
             */
            readonly username: string;
            readonly password: string;
            /** @description A field of the other grant; ignored. */
            readonly refresh_token?: string;
            /** @description The only account that the token acts for. */
            readonly account_id?: number;
            /** @description Comma separated list of user, admin, internal, auth. Default: user. */
            readonly scopes?: string;
            /** @description The same, space separated (RFC 6749 3.3); in place of `scopes`. */
            readonly scope?: string;
            /** @description Lifetime of the access token in seconds; clamped to the configured maximum. */
            readonly expiration_seconds?: number;
        };
        readonly RefreshGrant: {
            /** @constant */
            readonly grant_type: "refresh_token";
            /** @description The newest refresh token of the session. */
            readonly refresh_token: string;
            /** @description A field of the other grant; ignored. */
            readonly username?: string;
            /** @description A field of the other grant; ignored. */
            readonly password?: string;
            /** @description The account of the login; if it has none, an account for this one token. */
            readonly account_id?: number;
            /** @description Comma separated list of user, admin, internal, auth. Default: the granted scopes, without auth. */
            readonly scopes?: string;
            /** @description The same, space separated (RFC 6749 3.3); in place of `scopes`. */
            readonly scope?: string;
            /** @description Lifetime of the access token in seconds; clamped to the configured maximum. */
            readonly expiration_seconds?: number;
        };
        readonly TokensV1: {
            readonly access_token: string;
            /** @constant */
            readonly token_type: "bearer";
            readonly expires_in: number;
            readonly refresh_token: string;
            readonly accounts: readonly number[];
        };
        readonly TokensV2: {
            readonly access_token: string;
            /** @constant */
            readonly token_type: "bearer";
            readonly expires_in: number;
            readonly refresh_token: string;
            readonly accounts: readonly number[];
            readonly scope: string;
            readonly refresh_expires_in: number;
        };
        readonly Tokens: components["schemas"]["TokensV1"] | components["schemas"]["TokensV2"];
        readonly ChallengeV1: {
            readonly challenge: string;
        };
        readonly ChallengeV2: {
            readonly challenge: string;
            /** @constant */
            readonly error: "mfa_required";
            readonly error_description: string;
            readonly challenge_expires_in: number;
            readonly methods: readonly ("totp" | "recovery_code")[];
        };
        readonly Challenge: components["schemas"]["ChallengeV1"] | components["schemas"]["ChallengeV2"];
        readonly DeprecatedRefreshGrant: {
            /** @constant */
            readonly grant_type?: "refresh_token";
            /** @description The newest refresh token of the session. */
            readonly refresh_token: string;
            /** @description Lifetime of the access token in seconds; clamped to the configured maximum. */
            readonly expiration_seconds?: number;
        };
        readonly ChallengeGrant: {
            readonly challenge: string;
            /** @description Six digits of the app, or a recovery code. */
            readonly code: string | number;
            /** @description Default: ["user"]. */
            readonly scopes?: readonly ("user" | "admin" | "internal" | "auth")[];
            /** @description The same, space separated (RFC 6749 3.3); in place of `scopes`. */
            readonly scope?: string;
            /** @description Lifetime of the access token in seconds; clamped to the configured maximum. */
            readonly expiration_seconds?: number;
        };
        readonly ChallengeGrantForm: {
            readonly challenge: string;
            /** @description Six digits of the app, or a recovery code. */
            readonly code: string;
            /** @description Comma separated list of user, admin, internal, auth, each once at most. Default: user. */
            readonly scopes?: string;
            /** @description The same, space separated (RFC 6749 3.3); in place of `scopes`. */
            readonly scope?: string;
            /** @description Lifetime of the access token in seconds; clamped to the configured maximum. */
            readonly expiration_seconds?: number;
        };
        readonly RevocationRequest: {
            /** @description A refresh token, an access token or a personal access token. */
            readonly token: string;
            readonly token_type_hint?: string;
        };
        readonly RevocationAnswer: Record<string, never>;
        readonly IntrospectionRequest: {
            /** @description An access token, a refresh token or a personal access token. */
            readonly token: string;
            readonly token_type_hint?: string;
        };
        readonly ActiveToken: {
            /** @constant */
            readonly active: true;
            /**
             * @description `refresh_token`: must not be accepted as a bearer token.
             * @enum {string}
             */
            readonly token_type: "bearer" | "refresh_token";
            readonly scope: string;
            readonly sub: string;
            readonly iss: string;
            readonly iat: number;
            readonly exp: number;
            readonly aud?: string;
            readonly client_id?: string;
            readonly jti?: string;
            readonly sid?: string;
            readonly accounts?: readonly number[];
            readonly account_id?: number;
        };
        readonly InactiveToken: {
            /** @constant */
            readonly active: false;
        };
        readonly Introspection: components["schemas"]["ActiveToken"] | components["schemas"]["InactiveToken"];
        readonly JwkSet: {
            readonly keys: readonly {
                readonly [key: string]: unknown;
            }[];
        };
        readonly ServerMetadata: {
            readonly [key: string]: unknown;
        };
        readonly Session: {
            /** @constant */
            readonly object: "Session";
            readonly id: string;
            /** Format: date-time */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When the session was last refreshed, or else created_at.
             */
            readonly last_used_at: string;
            /**
             * Format: date-time
             * @description When the session ends unless it is refreshed.
             */
            readonly expires_at: string;
            /** @description IP address of the client at login, or unknown; null if the host reported none. */
            readonly address: string | null;
            /** @description The User-Agent of the client at login. */
            readonly user_agent: string | null;
            readonly amr: readonly string[];
            readonly account_id: number | null;
            /** @description Whether this is the session of the access token. */
            readonly current: boolean;
        };
        readonly SessionPage: {
            readonly data: readonly components["schemas"]["Session"][];
            readonly next_cursor: string | null;
        };
        readonly TotpEnrolment: {
            /** @description The shared secret, base32, shown only this once. */
            readonly secret: string;
            /** @description The same, as authenticator apps read it. */
            readonly otpauth_uri: string;
            /** @description The URI as a QR code: an SVG document. */
            readonly qr_svg: string;
        };
        readonly TotpConfirmation: {
            /** @description The six digits that the authenticator app shows. */
            readonly code: string | number;
        };
        readonly RecoveryCodes: {
            /** @description Each replaces a code of the app once. Shown only this once. */
            readonly recovery_codes: readonly string[];
        };
        readonly NewPersonalAccessToken: {
            /** @description The name that the owner gives the token, without control characters. */
            readonly name: string;
            readonly scopes: readonly ("user" | "admin" | "internal")[];
            /** @description Lifetime in seconds; clamped to the configured maximum. Default: 90 days. */
            readonly expiration_seconds?: number;
            /** @description The only account that the token acts for. Default: the account of the access token, or none. */
            readonly account_id?: number;
        };
        readonly CreatedPersonalAccessToken: {
            readonly id: string;
            readonly name: string;
            /** @description The beginning of the token. */
            readonly prefix: string;
            readonly scopes: readonly ("user" | "admin" | "internal" | "auth")[];
            readonly account_id: number | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly expires_at: string;
            readonly last_used_at: string | null;
            /** @description The token, shown only this once. */
            readonly token: string;
        };
        readonly PersonalAccessToken: {
            readonly id: string;
            readonly name: string;
            /** @description The beginning of the token. */
            readonly prefix: string;
            readonly scopes: readonly ("user" | "admin" | "internal" | "auth")[];
            readonly account_id: number | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly expires_at: string;
            readonly last_used_at: string | null;
        };
        readonly PersonalAccessTokenPage: {
            readonly data: readonly components["schemas"]["PersonalAccessToken"][];
            readonly next_cursor: string | null;
        };
        readonly NewWebhook: {
            /** @enum {string} */
            readonly event: "Account.Created" | "Account.Updated" | "Account.Confirmed" | "Account.Deleted" | "Contact.Added" | "Contact.Updated" | "Contact.Removed" | "Contact.Tagged";
            /**
             * Format: iri
             * @description Where deliveries are sent to: http or https, without user info and fragment. Stored percent-encoded.
             */
            readonly url: string;
            /**
             * @description Deliveries that may start in any window of `rate_limit_period`.
             * @default 50
             */
            readonly rate_limit?: number;
            /**
             * @default second
             * @enum {string}
             */
            readonly rate_limit_period?: "second" | "minute";
        };
        readonly CreatedWebhook: {
            /** @constant */
            readonly object: "Webhook";
            readonly id: string;
            readonly account_id: number;
            readonly event: string;
            readonly url: string;
            readonly rate_limit: number;
            /** @enum {string} */
            readonly rate_limit_period: "second" | "minute";
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
            readonly disabled_at: string | null;
            readonly disabled_reason: ("gone" | "failing") | null;
            /**
             * @description Present if the app no longer publishes the event.
             * @constant
             */
            readonly event_removed?: true;
            /** @description The signing secret, shown only this once. */
            readonly secret: string;
        };
        readonly CreatedWebhookAnswer: {
            readonly id: string;
            readonly data: components["schemas"]["CreatedWebhook"];
        };
        readonly Webhook: {
            /** @constant */
            readonly object: "Webhook";
            readonly id: string;
            readonly account_id: number;
            readonly event: string;
            readonly url: string;
            readonly rate_limit: number;
            /** @enum {string} */
            readonly rate_limit_period: "second" | "minute";
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
            readonly disabled_at: string | null;
            readonly disabled_reason: ("gone" | "failing") | null;
            /**
             * @description Present if the app no longer publishes the event.
             * @constant
             */
            readonly event_removed?: true;
        };
        readonly WebhookPage: {
            readonly data: readonly components["schemas"]["Webhook"][];
            readonly next_cursor: string | null;
        };
        readonly EventType: {
            /** @constant */
            readonly object: "EventType";
            readonly name: string;
            readonly description: string | null;
            /** @description The data of the event, as JSON Schema (2020-12). */
            readonly schema: {
                readonly [key: string]: unknown;
            };
            readonly example: {
                readonly [key: string]: unknown;
            } | null;
        };
        readonly EventTypePage: {
            readonly data: readonly components["schemas"]["EventType"][];
            readonly next_cursor: string | null;
        };
        readonly WebhookAnswer: {
            readonly id: string;
            readonly data: components["schemas"]["Webhook"];
        };
        readonly WebhookChange: {
            /**
             * Format: iri
             * @description Where deliveries are sent to: http or https, without user info and fragment. Stored percent-encoded.
             */
            readonly url?: string;
            /** @description Deliveries that may start in any window of `rate_limit_period`. */
            readonly rate_limit?: number;
            /** @enum {string} */
            readonly rate_limit_period?: "second" | "minute";
        };
        readonly PatchedWebhook: {
            /** @constant */
            readonly object: "Webhook";
            /** @constant */
            readonly patched: true;
        };
        readonly PatchedWebhookAnswer: {
            readonly id: string;
            readonly data: components["schemas"]["PatchedWebhook"];
        };
        readonly WebhookSecret: {
            /** @description The new signing secret, shown only this once. */
            readonly secret: string;
        };
        readonly WebhookSecretAnswer: {
            readonly id: string;
            readonly data: components["schemas"]["WebhookSecret"];
        };
        readonly SentDelivery: {
            /** @description Id of the delivery: its `webhook-id`. */
            readonly delivery: string;
        };
        readonly SentDeliveryAnswer: {
            readonly id: string;
            readonly data: components["schemas"]["SentDelivery"];
        };
        readonly Delivery: {
            /** @constant */
            readonly object: "Delivery";
            readonly id: string;
            readonly event: string;
            /** @enum {string} */
            readonly state: "queued" | "sending" | "waiting" | "held" | "delivered" | "dead";
            readonly reason: ("exhausted" | "gone" | "expired" | "poison") | null;
            /** Format: date-time */
            readonly created_at: string;
            readonly next_attempt_at: string | null;
            readonly attempts: readonly {
                /** Format: date-time */
                readonly at: string;
                readonly status: number | null;
                readonly duration_ms: number;
                readonly error: string | null;
            }[];
        };
        readonly DeliveryPage: {
            readonly data: readonly components["schemas"]["Delivery"][];
            readonly next_cursor: string | null;
        };
        readonly DeliveryRecovery: {
            /**
             * Format: date-time
             * @description Date and time in ISO 8601, with its offset from UTC.
             */
            readonly since: string;
        };
        readonly DeliveryRecoveryAnswer: {
            readonly data: {
                readonly count: number;
            };
        };
        readonly OpenApiDocument: {
            readonly [key: string]: unknown;
        };
        readonly AccountCreatedEvent: {
            /** @description The same as in the header `webhook-id`. */
            readonly id: string;
            /** @constant */
            readonly type: "Account.Created";
            /**
             * Format: date-time
             * @description When the event was published, in UTC: the same at every attempt.
             */
            readonly timestamp: string;
            /** @description The account of the event. */
            readonly account_id: number;
            readonly data: {
                readonly [key: string]: unknown;
            };
        };
        readonly AccountUpdatedEvent: {
            /** @description The same as in the header `webhook-id`. */
            readonly id: string;
            /** @constant */
            readonly type: "Account.Updated";
            /**
             * Format: date-time
             * @description When the event was published, in UTC: the same at every attempt.
             */
            readonly timestamp: string;
            /** @description The account of the event. */
            readonly account_id: number;
            readonly data: {
                readonly [key: string]: unknown;
            };
        };
        readonly AccountConfirmedEvent: {
            /** @description The same as in the header `webhook-id`. */
            readonly id: string;
            /** @constant */
            readonly type: "Account.Confirmed";
            /**
             * Format: date-time
             * @description When the event was published, in UTC: the same at every attempt.
             */
            readonly timestamp: string;
            /** @description The account of the event. */
            readonly account_id: number;
            readonly data: {
                readonly [key: string]: unknown;
            };
        };
        readonly AccountDeletedEvent: {
            /** @description The same as in the header `webhook-id`. */
            readonly id: string;
            /** @constant */
            readonly type: "Account.Deleted";
            /**
             * Format: date-time
             * @description When the event was published, in UTC: the same at every attempt.
             */
            readonly timestamp: string;
            /** @description The account of the event. */
            readonly account_id: number;
            readonly data: {
                readonly [key: string]: unknown;
            };
        };
        readonly ContactAddedEvent: {
            /** @description The same as in the header `webhook-id`. */
            readonly id: string;
            /** @constant */
            readonly type: "Contact.Added";
            /**
             * Format: date-time
             * @description When the event was published, in UTC: the same at every attempt.
             */
            readonly timestamp: string;
            /** @description The account of the event. */
            readonly account_id: number;
            readonly data: {
                readonly [key: string]: unknown;
            };
        };
        readonly ContactUpdatedEvent: {
            /** @description The same as in the header `webhook-id`. */
            readonly id: string;
            /** @constant */
            readonly type: "Contact.Updated";
            /**
             * Format: date-time
             * @description When the event was published, in UTC: the same at every attempt.
             */
            readonly timestamp: string;
            /** @description The account of the event. */
            readonly account_id: number;
            readonly data: {
                readonly [key: string]: unknown;
            };
        };
        readonly ContactRemovedEvent: {
            /** @description The same as in the header `webhook-id`. */
            readonly id: string;
            /** @constant */
            readonly type: "Contact.Removed";
            /**
             * Format: date-time
             * @description When the event was published, in UTC: the same at every attempt.
             */
            readonly timestamp: string;
            /** @description The account of the event. */
            readonly account_id: number;
            readonly data: {
                readonly [key: string]: unknown;
            };
        };
        readonly ContactTaggedEvent: {
            /** @description The same as in the header `webhook-id`. */
            readonly id: string;
            /** @constant */
            readonly type: "Contact.Tagged";
            /**
             * Format: date-time
             * @description When the event was published, in UTC: the same at every attempt.
             */
            readonly timestamp: string;
            /** @description The account of the event. */
            readonly account_id: number;
            readonly data: {
                readonly [key: string]: unknown;
            };
        };
        readonly WebhookPingEvent: {
            /** @description The same as in the header `webhook-id`. */
            readonly id: string;
            /** @constant */
            readonly type: "Webhook.Ping";
            /**
             * Format: date-time
             * @description When the event was published, in UTC: the same at every attempt.
             */
            readonly timestamp: string;
            /** @description The account of the event. */
            readonly account_id: number;
            readonly data: Record<string, never>;
        };
    };
    responses: {
        /** @description The receiver wants no more events: the webhook is disabled. */
        readonly "Receiver-410": {
            headers: {
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The receiver is overloaded: the next attempt follows in a minute or later. */
        readonly "Receiver-429": {
            headers: {
                /** @description Seconds or a date: within a day, the next attempt starts no sooner. */
                readonly "Retry-After"?: string;
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The event has arrived. */
        readonly "Receiver-2XX": {
            headers: {
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The attempt failed and is repeated later. A redirect is a failure too: it is not followed. */
        readonly "Receiver-default": {
            headers: {
                /** @description Seconds or a date: within a day, the next attempt starts no sooner. */
                readonly "Retry-After"?: string;
                readonly [name: string]: unknown;
            };
            content?: never;
        };
    };
    parameters: {
        /** @description The id of the event: the same at every attempt, and if the event is sent again. */
        readonly "webhook-id": string;
        /** @description When this attempt began, in seconds since 1970. */
        readonly "webhook-timestamp": number;
        /** @description HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the bytes of the body with dots between them, in base64: one for each signing secret. */
        readonly "webhook-signature": string;
        /** @description `Latchhook/` and a version. */
        readonly "user-agent": string;
    };
    requestBodies: never;
    headers: {
        /** @description No cache may store the response. */
        readonly "Cache-Control": "no-store";
        /** @description The seconds to wait before the next try. */
        readonly "Retry-After": number;
        /** @description Why the bearer token was rejected (RFC 6750 3); without an error if there is none. */
        readonly "WWW-Authenticate": string;
        /** @description The methods of the path. */
        readonly Allow: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly refreshTokenDeprecated: {
        readonly parameters: {
            readonly query?: {
                readonly version?: "v1" | "v2";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["DeprecatedRefreshGrant"];
                readonly "application/x-www-form-urlencoded": components["schemas"]["DeprecatedRefreshGrant"];
            };
        };
        readonly responses: {
            /** @description The tokens, in the representation of `version`. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description The time of the deprecation: `@` and seconds since 1970 (RFC 9745). */
                    readonly Deprecation: string;
                    /** @description The endpoint to use instead, as `successor-version` (RFC 8288). */
                    readonly Link: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Tokens"];
                };
            };
            /** @description unsupported_grant_type, invalid_scope, invalid_grant, invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description The time of the deprecation: `@` and seconds since 1970 (RFC 9745). */
                    readonly Deprecation: string;
                    /** @description The endpoint to use instead, as `successor-version` (RFC 8288). */
                    readonly Link: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description The time of the deprecation: `@` and seconds since 1970 (RFC 9745). */
                    readonly Deprecation: string;
                    /** @description The endpoint to use instead, as `successor-version` (RFC 8288). */
                    readonly Link: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description The time of the deprecation: `@` and seconds since 1970 (RFC 9745). */
                    readonly Deprecation: string;
                    /** @description The endpoint to use instead, as `successor-version` (RFC 8288). */
                    readonly Link: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description The time of the deprecation: `@` and seconds since 1970 (RFC 9745). */
                    readonly Deprecation: string;
                    /** @description The endpoint to use instead, as `successor-version` (RFC 8288). */
                    readonly Link: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description too_many_requests */
            readonly 429: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    /** @description The time of the deprecation: `@` and seconds since 1970 (RFC 9745). */
                    readonly Deprecation: string;
                    /** @description The endpoint to use instead, as `successor-version` (RFC 8288). */
                    readonly Link: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description The time of the deprecation: `@` and seconds since 1970 (RFC 9745). */
                    readonly Deprecation: string;
                    /** @description The endpoint to use instead, as `successor-version` (RFC 8288). */
                    readonly Link: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    /** @description The time of the deprecation: `@` and seconds since 1970 (RFC 9745). */
                    readonly Deprecation: string;
                    /** @description The endpoint to use instead, as `successor-version` (RFC 8288). */
                    readonly Link: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly issueToken: {
        readonly parameters: {
            readonly query?: {
                readonly version?: "v1" | "v2";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PasswordGrant"] | components["schemas"]["RefreshGrant"];
                readonly "application/x-www-form-urlencoded": components["schemas"]["PasswordGrant"] | components["schemas"]["RefreshGrant"];
            };
        };
        readonly responses: {
            /** @description The tokens, in the representation of `version`. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Tokens"];
                };
            };
            /** @description unsupported_grant_type, invalid_scope, invalid_grant, invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A second factor is needed. */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Challenge"];
                };
            };
            /** @description access_denied */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description too_many_requests */
            readonly 429: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly answerChallenge: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ChallengeGrant"];
                readonly "application/x-www-form-urlencoded": components["schemas"]["ChallengeGrantForm"];
            };
        };
        readonly responses: {
            /** @description The tokens, in the representation of the version with which the login began. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Tokens"];
                };
            };
            /** @description invalid_scope, invalid_grant, invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description access_denied */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description too_many_requests */
            readonly 429: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly revokeToken: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RevocationRequest"];
                readonly "application/x-www-form-urlencoded": components["schemas"]["RevocationRequest"];
            };
        };
        readonly responses: {
            /** @description The token is revoked, or was not valid before. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RevocationAnswer"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly introspectToken: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["IntrospectionRequest"];
                readonly "application/x-www-form-urlencoded": components["schemas"]["IntrospectionRequest"];
            };
        };
        readonly responses: {
            /** @description The content of the token, or only that it is not active. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Introspection"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description insufficient_scope */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getJwks: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A JWK set. */
            readonly 200: {
                headers: {
                    /** @description How long caches may keep the response. */
                    readonly "Cache-Control": "public, max-age=300";
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["JwkSet"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getServerMetadata: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Authorization server metadata. */
            readonly 200: {
                headers: {
                    /** @description How long caches may keep the response. */
                    readonly "Cache-Control": "public, max-age=300";
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ServerMetadata"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listSessions: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of the list. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SessionPage"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description insufficient_scope, access_denied */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly endSessions: {
        readonly parameters: {
            readonly query?: {
                readonly except?: "current";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The logins and all pending challenges have ended. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description insufficient_scope, access_denied */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly endSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The login has ended. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description insufficient_scope, access_denied */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            readonly 404: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly beginTotpEnrolment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The secret of the new factor. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TotpEnrolment"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description insufficient_scope, access_denied */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description limit_reached */
            readonly 409: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description too_many_requests */
            readonly 429: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly removeTotp: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The factor is removed. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description insufficient_scope, access_denied */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            readonly 404: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly confirmTotpEnrolment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["TotpConfirmation"];
            };
        };
        readonly responses: {
            /** @description The recovery codes of the enrolled factor. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            /** @description invalid_grant, invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description insufficient_scope, access_denied */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            readonly 404: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description limit_reached */
            readonly 409: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description too_many_requests */
            readonly 429: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly replaceRecoveryCodes: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The new recovery codes. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description insufficient_scope, access_denied */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            readonly 404: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listPersonalAccessTokens: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of the list. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PersonalAccessTokenPage"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description insufficient_scope, access_denied */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly createPersonalAccessToken: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewPersonalAccessToken"];
            };
        };
        readonly responses: {
            /** @description The new token. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CreatedPersonalAccessToken"];
                };
            };
            /** @description invalid_scope, invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description access_denied, insufficient_scope */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description limit_reached */
            readonly 409: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly revokePersonalAccessToken: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The token is revoked. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description insufficient_scope, access_denied */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            readonly 404: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listWebhooks: {
        readonly parameters: {
            readonly query?: {
                readonly account_id?: number;
                readonly limit?: number;
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of the list. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookPage"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description access_denied, insufficient_scope */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly createWebhook: {
        readonly parameters: {
            readonly query?: {
                readonly account_id?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewWebhook"];
            };
        };
        readonly responses: {
            /** @description The new webhook, with its signing secret. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description The path of the webhook, for `GET`. */
                    readonly Location: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CreatedWebhookAnswer"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description access_denied, insufficient_scope */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description limit_reached */
            readonly 409: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listEventTypes: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description All events, on one page. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EventTypePage"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description insufficient_scope */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getWebhook: {
        readonly parameters: {
            readonly query?: {
                readonly account_id?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookAnswer"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description access_denied, insufficient_scope */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            readonly 404: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly deleteWebhook: {
        readonly parameters: {
            readonly query?: {
                readonly account_id?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook is removed. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description access_denied, insufficient_scope */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            readonly 404: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly updateWebhook: {
        readonly parameters: {
            readonly query?: {
                readonly account_id?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["WebhookChange"];
            };
        };
        readonly responses: {
            /** @description The webhook is changed. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PatchedWebhookAnswer"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description access_denied, insufficient_scope */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            readonly 404: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly rotateWebhookSecret: {
        readonly parameters: {
            readonly query?: {
                readonly account_id?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The new secret. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookSecretAnswer"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description access_denied, insufficient_scope */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            readonly 404: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly pingWebhook: {
        readonly parameters: {
            readonly query?: {
                readonly account_id?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The delivery is queued. */
            readonly 202: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SentDeliveryAnswer"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description access_denied, insufficient_scope */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            readonly 404: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description too_many_requests */
            readonly 429: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listDeliveries: {
        readonly parameters: {
            readonly query?: {
                readonly account_id?: number;
                readonly limit?: number;
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of the list. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description access_denied, insufficient_scope */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            readonly 404: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly resendDelivery: {
        readonly parameters: {
            readonly query?: {
                readonly account_id?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
                readonly delivery: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The delivery is queued. */
            readonly 202: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SentDeliveryAnswer"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description access_denied, insufficient_scope */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            readonly 404: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description too_many_requests */
            readonly 429: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly enableWebhook: {
        readonly parameters: {
            readonly query?: {
                readonly account_id?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook is enabled. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookAnswer"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description access_denied, insufficient_scope */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            readonly 404: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description too_many_requests */
            readonly 429: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly recoverDeliveries: {
        readonly parameters: {
            readonly query?: {
                readonly account_id?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["DeliveryRecovery"];
            };
        };
        readonly responses: {
            /** @description The number of deliveries that are queued again. */
            readonly 202: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeliveryRecoveryAnswer"];
                };
            };
            /** @description invalid_request */
            readonly 400: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_token */
            readonly 401: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description access_denied, insufficient_scope */
            readonly 403: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            readonly 404: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 408: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 413: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_request */
            readonly 415: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description too_many_requests */
            readonly 429: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getOpenApiDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description An OpenAPI 3.1 document. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OpenApiDocument"];
                };
            };
            /** @description invalid_request */
            readonly 405: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly Allow: components["headers"]["Allow"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description server_error */
            readonly 500: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description temporarily_unavailable */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["Cache-Control"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly deliverAccountCreated: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The id of the event: the same at every attempt, and if the event is sent again. */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /** @description When this attempt began, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /** @description HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the bytes of the body with dots between them, in base64: one for each signing secret. */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
                /** @description `Latchhook/` and a version. */
                readonly "user-agent": components["parameters"]["user-agent"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AccountCreatedEvent"];
            };
        };
        readonly responses: {
            readonly 410: components["responses"]["Receiver-410"];
            readonly 429: components["responses"]["Receiver-429"];
            readonly "2XX": components["responses"]["Receiver-2XX"];
            readonly default: components["responses"]["Receiver-default"];
        };
    };
    readonly deliverAccountUpdated: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The id of the event: the same at every attempt, and if the event is sent again. */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /** @description When this attempt began, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /** @description HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the bytes of the body with dots between them, in base64: one for each signing secret. */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
                /** @description `Latchhook/` and a version. */
                readonly "user-agent": components["parameters"]["user-agent"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AccountUpdatedEvent"];
            };
        };
        readonly responses: {
            readonly 410: components["responses"]["Receiver-410"];
            readonly 429: components["responses"]["Receiver-429"];
            readonly "2XX": components["responses"]["Receiver-2XX"];
            readonly default: components["responses"]["Receiver-default"];
        };
    };
    readonly deliverAccountConfirmed: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The id of the event: the same at every attempt, and if the event is sent again. */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /** @description When this attempt began, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /** @description HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the bytes of the body with dots between them, in base64: one for each signing secret. */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
                /** @description `Latchhook/` and a version. */
                readonly "user-agent": components["parameters"]["user-agent"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AccountConfirmedEvent"];
            };
        };
        readonly responses: {
            readonly 410: components["responses"]["Receiver-410"];
            readonly 429: components["responses"]["Receiver-429"];
            readonly "2XX": components["responses"]["Receiver-2XX"];
            readonly default: components["responses"]["Receiver-default"];
        };
    };
    readonly deliverAccountDeleted: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The id of the event: the same at every attempt, and if the event is sent again. */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /** @description When this attempt began, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /** @description HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the bytes of the body with dots between them, in base64: one for each signing secret. */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
                /** @description `Latchhook/` and a version. */
                readonly "user-agent": components["parameters"]["user-agent"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AccountDeletedEvent"];
            };
        };
        readonly responses: {
            readonly 410: components["responses"]["Receiver-410"];
            readonly 429: components["responses"]["Receiver-429"];
            readonly "2XX": components["responses"]["Receiver-2XX"];
            readonly default: components["responses"]["Receiver-default"];
        };
    };
    readonly deliverContactAdded: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The id of the event: the same at every attempt, and if the event is sent again. */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /** @description When this attempt began, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /** @description HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the bytes of the body with dots between them, in base64: one for each signing secret. */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
                /** @description `Latchhook/` and a version. */
                readonly "user-agent": components["parameters"]["user-agent"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ContactAddedEvent"];
            };
        };
        readonly responses: {
            readonly 410: components["responses"]["Receiver-410"];
            readonly 429: components["responses"]["Receiver-429"];
            readonly "2XX": components["responses"]["Receiver-2XX"];
            readonly default: components["responses"]["Receiver-default"];
        };
    };
    readonly deliverContactUpdated: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The id of the event: the same at every attempt, and if the event is sent again. */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /** @description When this attempt began, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /** @description HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the bytes of the body with dots between them, in base64: one for each signing secret. */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
                /** @description `Latchhook/` and a version. */
                readonly "user-agent": components["parameters"]["user-agent"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ContactUpdatedEvent"];
            };
        };
        readonly responses: {
            readonly 410: components["responses"]["Receiver-410"];
            readonly 429: components["responses"]["Receiver-429"];
            readonly "2XX": components["responses"]["Receiver-2XX"];
            readonly default: components["responses"]["Receiver-default"];
        };
    };
    readonly deliverContactRemoved: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The id of the event: the same at every attempt, and if the event is sent again. */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /** @description When this attempt began, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /** @description HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the bytes of the body with dots between them, in base64: one for each signing secret. */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
                /** @description `Latchhook/` and a version. */
                readonly "user-agent": components["parameters"]["user-agent"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ContactRemovedEvent"];
            };
        };
        readonly responses: {
            readonly 410: components["responses"]["Receiver-410"];
            readonly 429: components["responses"]["Receiver-429"];
            readonly "2XX": components["responses"]["Receiver-2XX"];
            readonly default: components["responses"]["Receiver-default"];
        };
    };
    readonly deliverContactTagged: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The id of the event: the same at every attempt, and if the event is sent again. */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /** @description When this attempt began, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /** @description HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the bytes of the body with dots between them, in base64: one for each signing secret. */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
                /** @description `Latchhook/` and a version. */
                readonly "user-agent": components["parameters"]["user-agent"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ContactTaggedEvent"];
            };
        };
        readonly responses: {
            readonly 410: components["responses"]["Receiver-410"];
            readonly 429: components["responses"]["Receiver-429"];
            readonly "2XX": components["responses"]["Receiver-2XX"];
            readonly default: components["responses"]["Receiver-default"];
        };
    };
    readonly deliverWebhookPing: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The id of the event: the same at every attempt, and if the event is sent again. */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /** @description When this attempt began, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /** @description HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the bytes of the body with dots between them, in base64: one for each signing secret. */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
                /** @description `Latchhook/` and a version. */
                readonly "user-agent": components["parameters"]["user-agent"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["WebhookPingEvent"];
            };
        };
        readonly responses: {
            readonly 410: components["responses"]["Receiver-410"];
            readonly 429: components["responses"]["Receiver-429"];
            readonly "2XX": components["responses"]["Receiver-2XX"];
            readonly default: components["responses"]["Receiver-default"];
        };
    };
}
