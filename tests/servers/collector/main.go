// The OpenTelemetry Collector with its OTLP receiver, and an exporter that prints what arrived: one
// line of JSON for each request.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/consumer/xconsumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/xexporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

type printer struct {
	component.StartFunc
	component.ShutdownFunc
	xconsumer.Profiles
}

func print(_ context.Context, p pprofile.Profiles) error {
	text, err := (&pprofile.JSONMarshaler{}).MarshalProfiles(p)
	if err == nil {
		_, err = fmt.Fprintf(os.Stdout, "%s\n", text)
	}
	return err
}

func newPrinter(context.Context, exporter.Settings, component.Config) (xexporter.Profiles, error) {
	consume, err := xconsumer.NewProfiles(print)
	return printer{Profiles: consume}, err
}

func components() (otelcol.Factories, error) {
	r := otlpreceiver.NewFactory()
	e := xexporter.NewFactory(component.MustNewType("print"),
		func() component.Config { return &struct{}{} },
		xexporter.WithProfiles(newPrinter, component.StabilityLevelDevelopment))
	return otelcol.Factories{
		Receivers: map[component.Type]receiver.Factory{r.Type(): r},
		Exporters: map[component.Type]exporter.Factory{e.Type(): e},
		Telemetry: otelconftelemetry.NewFactory(),
	}, nil
}

func main() {
	err := otelcol.NewCommand(otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "collector", Version: "0.162.0"},
		Factories: components,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{
				ProviderFactories: []confmap.ProviderFactory{yamlprovider.NewFactory()},
				DefaultScheme:     "yaml",
			}},
	}).Execute()
	if err != nil {
		log.Fatal(err)
	}
}
