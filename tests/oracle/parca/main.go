// A server that accepts pushes to Parca. It is built like Parca's server
// (parca/pkg/server/server.go): grpc-go behind the gRPC-Web wrapper of improbable-eng, which is
// chosen by the Content-Type. The protobuf library reads the service's message, by a description
// that follows parca/profilestore/v1alpha1/profilestore.proto.
//
// It prints its URL, then a JSON object for each call. A label "status" is the status with which
// the call ends.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/improbable-eng/grpc-web/go/grpcweb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

const description = `
name: "profilestore.proto" package: "parca.profilestore.v1alpha1" syntax: "proto3"
message_type { name: "WriteRawRequest"
  field { name: "tenant" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
  field { name: "series" number: 2 type: TYPE_MESSAGE label: LABEL_REPEATED
          type_name: ".parca.profilestore.v1alpha1.RawProfileSeries" }
  field { name: "normalized" number: 3 type: TYPE_BOOL label: LABEL_OPTIONAL } }
message_type { name: "WriteRawResponse" }
message_type { name: "RawProfileSeries"
  field { name: "labels" number: 1 type: TYPE_MESSAGE label: LABEL_OPTIONAL
          type_name: ".parca.profilestore.v1alpha1.LabelSet" }
  field { name: "samples" number: 2 type: TYPE_MESSAGE label: LABEL_REPEATED
          type_name: ".parca.profilestore.v1alpha1.RawSample" } }
message_type { name: "Label"
  field { name: "name" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
  field { name: "value" number: 2 type: TYPE_STRING label: LABEL_OPTIONAL } }
message_type { name: "LabelSet"
  field { name: "labels" number: 1 type: TYPE_MESSAGE label: LABEL_REPEATED
          type_name: ".parca.profilestore.v1alpha1.Label" } }
message_type { name: "RawSample"
  field { name: "raw_profile" number: 1 type: TYPE_BYTES label: LABEL_OPTIONAL } }`

var request, response protoreflect.MessageDescriptor

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func describe() {
	file := &descriptorpb.FileDescriptorProto{}
	must(prototext.Unmarshal([]byte(description), file))
	built, err := protodesc.NewFile(file, nil)
	must(err)
	request = built.Messages().ByName("WriteRawRequest")
	response = built.Messages().ByName("WriteRawResponse")
}

func field(m protoreflect.Message, name string) protoreflect.Value {
	return m.Get(m.Descriptor().Fields().ByName(protoreflect.Name(name)))
}

type call struct {
	Labels  [][2]string `json:"labels"`
	Lengths []int       `json:"lengths"`
	Hashes  []string    `json:"hashes"`
	Auth    []string    `json:"auth"`
}

func look(m protoreflect.Message, c *call) error {
	series := field(m, "series").List()
	if series.Len() != 1 || len(m.GetUnknown()) > 0 || field(m, "normalized").Bool() {
		return status.Error(codes.InvalidArgument, "not one series, or more than series")
	}
	one := series.Get(0).Message()
	labels := field(field(one, "labels").Message(), "labels").List()
	for i := 0; i < labels.Len(); i++ {
		l := labels.Get(i).Message()
		c.Labels = append(c.Labels, [2]string{field(l, "name").String(), field(l, "value").String()})
	}
	samples := field(one, "samples").List()
	for i := 0; i < samples.Len(); i++ {
		data := field(samples.Get(i).Message(), "raw_profile").Bytes()
		c.Lengths = append(c.Lengths, len(data))
		c.Hashes = append(c.Hashes, fmt.Sprintf("%x", sha256.Sum256(data)))
	}
	for _, l := range c.Labels {
		if code, err := strconv.Atoi(l[1]); l[0] == "status" && err == nil {
			return status.Error(codes.Code(code), "as it was asked: "+strings.Join(c.Auth, ""))
		}
	}
	return nil
}

func writeRaw(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	m := dynamicpb.NewMessage(request)
	if err := decode(proto.Message(m)); err != nil {
		return nil, err
	}
	c := call{}
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		c.Auth = md.Get("authorization")
	}
	err := look(m, &c)
	must(json.NewEncoder(os.Stdout).Encode(c))
	return dynamicpb.NewMessage(response), err
}

func main() {
	describe()
	server := grpc.NewServer(grpc.MaxRecvMsgSize(64 << 20))
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "parca.profilestore.v1alpha1.ProfileStoreService",
		HandlerType: (*any)(nil),
		Methods:     []grpc.MethodDesc{{MethodName: "WriteRaw", Handler: writeRaw}},
	}, nil)
	wrapped := grpcweb.WrapServer(server, grpcweb.WithAllowNonRootResource(true),
		grpcweb.WithOriginFunc(func(string) bool { return false }))
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			wrapped.ServeHTTP(w, r)
			return
		}
		http.NotFound(w, r)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	fmt.Printf("http://%s\n", listener.Addr())
	must(http.Serve(listener, handler))
}
