import { expect, test } from "bun:test";
import { SvcError } from "../../../src/base/errors/errors.ts";
import { openCollectorConnection } from "../../../src/report/otlp/collector-connection.ts";
import { readExporterSettings } from "../../../src/report/otlp/exporter-settings.ts";

test("without any variable: the local collector, no messages", () => {
  expect(readExporterSettings({})).toEqual({
    disabled: false,
    collector: "http://localhost:4318",
    timeoutMilliseconds: 1500,
    diagnosticLevel: "none",
    otherProtocol: null,
  });
});

test("variables for traces override those for all signals; an empty one is not set", () => {
  const settings = readExporterSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: "https://a:1/key?token=x",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://user:secret@b:2/secret",
    OTEL_EXPORTER_OTLP_TIMEOUT: "100",
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: " ",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_SDK_DISABLED: "TRUE",
    OTEL_LOG_LEVEL: "ALL",
  });
  expect(settings).toEqual({
    disabled: true,
    collector: "https://b:2/…",
    timeoutMilliseconds: 100,
    diagnosticLevel: "verbose",
    otherProtocol: "grpc",
  });
});

test("a timeout is at most the maximum wait at exit", () => {
  const timeout = (text: string) =>
    readExporterSettings({ OTEL_EXPORTER_OTLP_TIMEOUT: text }).timeoutMilliseconds;
  expect(timeout("10000")).toBe(1500);
  expect(() => timeout("-1")).toThrow("OTEL_EXPORTER_OTLP_TIMEOUT is not a number");
});

test("a certificate that cannot be read is named", () => {
  const variable = "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE";
  try {
    openCollectorConnection({ [variable]: "/nowhere/ca.pem" });
    throw new Error("it was accepted");
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    expect([error.code, error.message]).toEqual([
      "CONFIG_INVALID",
      `The file of ${variable} cannot be read (ENOENT).`,
    ]);
  }
});
